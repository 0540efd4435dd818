"""Animals: Peekies and Stretchies as our renderer draws them, each picture once."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from films.canvas import Box
from understudy.roles import Pixels
from understudy.worlds.renderer import render
from understudy.worlds.scene import Backdrop, Part, Scene
from understudy.worlds.two4two import Two4Two, two4two_scene

FIXED, SPINE, SLIDING = (1, 2), (3, 4, 5, 6), (7, 8)
"""The blocks of an animal by their numbers in the mask."""


class Drawn(NamedTuple):
    """A picture, and which block each of its pixels shows."""

    picture: Image.Image
    mask: Pixels


@lru_cache(maxsize=160)
def animal(look: Two4Two, edge: int, *, size: float = 1.0, n_blocks: float = 8.0) -> Drawn:
    """Draw an animal; fewer than eight blocks, also broken numbers, show it growing block by block."""
    scene = two4two_scene(look)
    parts = tuple(_grown(part, n_blocks - number) for number, part in enumerate(scene.parts) if n_blocks > number)
    camera = replace(scene.camera, half_width=scene.camera.half_width / size)
    return drawn(Scene(parts, camera, scene.light, _widened(scene.backdrop, max(1.0, 1.2 / size))), edge)


def _widened(wall: Backdrop, by: float) -> Backdrop:
    """Return a larger wall, whose edges stay outside a picture that shows more of it."""
    across, along = ((axis[0] * by, axis[1] * by, axis[2] * by) for axis in wall.half_axes)
    return replace(wall, half_axes=(across, along))


def drawn(scene: Scene, edge: int) -> Drawn:
    """Render a scene."""
    rendered = render(scene, edge=edge)
    return Drawn(Image.fromarray(rendered.picture), rendered.mask)


def _grown(part: Part, share: float) -> Part:
    return part if share >= 1 else replace(part, axes=part.axes * max(share, 0.02))


def wide(shown: Drawn, height: int) -> Drawn:
    """Cut a picture to a height, around its middle."""
    top = (shown.picture.height - height) // 2
    picture = shown.picture.crop((0, top, shown.picture.width, top + height))
    return Drawn(picture, shown.mask[top : top + height])


def contour_of(shown: Drawn, blocks: tuple[int, ...]) -> Image.Image:
    """Return the mask of a line that runs around blocks at a small distance.

    A blurred silhouette falls off evenly outside, so that a band of its levels is a line of even width.
    """
    silhouette = Image.fromarray(np.where(np.isin(shown.mask, blocks), 255, 0).astype(np.uint8))
    blurred = silhouette.filter(ImageFilter.GaussianBlur(7))
    outer, inner = (blurred.point([_ramp(level, start) for level in range(256)]) for start in (18, 78))
    return ImageChops.subtract(outer, inner)


def _ramp(level: int, start: int) -> int:
    """Rise from 0 to 255 within a few levels, which is about a pixel and keeps the edge smooth."""
    width = start / 4
    return round(255 * min(max((level - start) / width, 0.0), 1.0))


def box_of(shown: Drawn, blocks: tuple[int, ...], at: Box) -> Box:
    """Return the box around blocks of a picture that is shown in another box."""
    rows, columns = np.nonzero(np.isin(shown.mask, blocks))
    scale = at.width / shown.picture.width
    left, top = float(columns.min()), float(rows.min())
    width, height = float(columns.max()) - left + 1, float(rows.max()) - top + 1
    return Box(at.left + scale * left, at.top + scale * top, scale * width, scale * height)
