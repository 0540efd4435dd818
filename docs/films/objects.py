"""Objects: trees and houses, for the film on machine learning, which must not show the animals of the study."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from PIL import Image

from films.animals import drawn
from films.canvas import Canvas, Type
from films.palette import Rgb
from understudy.roles import Floats
from understudy.worlds.scene import Part, Scene, superellipsoid, turned
from understudy.worlds.two4two import Two4Two, two4two_scene

LEAF, BARK = (0.12, 0.42, 0.22), (0.32, 0.17, 0.08)
WALL, ROOF, DOOR = (0.78, 0.66, 0.48), (0.45, 0.13, 0.08), (0.25, 0.16, 0.10)
STAMP: Rgb = (255, 255, 255)
DATE = "12.06."


@lru_cache(maxsize=200)
def tree(edge: int, *, variant: int = 0, x: float = 0.0) -> Image.Image:
    """Draw a tree; variants differ in height and in the number of crowns."""
    return _shot(_tree_parts(variant, x), edge)


def _tree_parts(variant: int, x: float) -> tuple[Part, ...]:
    rng = np.random.default_rng(100 + variant)
    height, width = rng.uniform(0.9, 1.25), rng.uniform(0.85, 1.1)
    trunk = superellipsoid((0, x, -1.5), (0.22, 0.22, 0.9), exponent=6, albedo=BARK, part_id=1)
    crown = superellipsoid((0, x, 0.25 * height), (width, width, height), exponent=2.2, albedo=LEAF, part_id=2)
    parts = [trunk, crown]
    if variant % 2:
        top = superellipsoid((0, x, 1.25 * height), (0.7 * width,) * 3, exponent=2.2, albedo=LEAF, part_id=3)
        parts.append(top)
    return tuple(parts)


@lru_cache(maxsize=200)
def house(edge: int, *, variant: int = 0) -> Image.Image:
    """Draw a house, seen a little from the side; variants differ in width and in height."""
    return _shot(_house_parts(variant), edge)


@lru_cache(maxsize=2)
def house_and_tree(edge: int) -> Image.Image:
    """Draw a tree in front of a house."""
    nearer = tuple(replace(part, centre=part.centre + np.array([1.6, 0, -0.1])) for part in _tree_parts(6, 0.9))
    house_parts = (replace(part, centre=part.centre - np.array([0, 0.5, 0])) for part in _house_parts(1))
    return _shot((*house_parts, *nearer), edge)


def _house_parts(variant: int) -> tuple[Part, ...]:
    rng = np.random.default_rng(200 + variant)
    wide, high = rng.uniform(1.15, 1.5), rng.uniform(0.8, 1.1)
    floor = -1.9
    walls = superellipsoid((0, 0, floor + high), (1.0, wide, high), exponent=14, albedo=WALL, part_id=1)
    door = superellipsoid((1.0, 0.45 * wide, floor + 0.5), (0.06, 0.24, 0.5), exponent=12, albedo=DOOR, part_id=2)
    window = superellipsoid((1.0, -0.4 * wide, floor + high), (0.05, 0.27, 0.27), exponent=12, albedo=DOOR, part_id=3)
    # A box on its edge is a roof: its lower half is inside the walls, and only its tips show as eaves.
    beam = superellipsoid((0, 0, 0), (1.0, 0.78, 0.78), exponent=14, albedo=ROOF, part_id=4)
    rise = np.diag([0.96, 1.12 * wide, 0.95])
    roof = turned(turned(beam, _about_x(math.pi / 4)), rise)
    roof = replace(roof, centre=roof.centre + np.array([0, 0, floor + 2 * high]))
    about_z = _about_z(rng.uniform(-0.35, 0.35))
    return tuple(turned(part, about_z) for part in (walls, door, window, roof))


def with_date(picture: Image.Image, share: float = 1.0) -> Image.Image:
    """Print the date into the lower right corner, as some cameras do."""
    canvas = Canvas(picture.copy())
    size = max(14, round(picture.width * 0.145))
    at = (picture.width - 1.75 * size, picture.height - 0.85 * size)
    canvas.text(DATE, (at[0] + 2, at[1] + 2), Type(size, (20, 30, 40), is_bold=True), alpha=0.55 * share)
    canvas.text(DATE, at, Type(size, STAMP, is_bold=True), alpha=share)
    return canvas.image


def _shot(parts: tuple[Part, ...], edge: int) -> Image.Image:
    """Draw parts in the light and in front of the wall that the animals have."""
    stage = two4two_scene(Two4Two(background_rgb=(0.42, 0.50, 0.55)))
    return drawn(Scene(parts, stage.camera, stage.light, stage.backdrop), edge).picture


def _about_x(angle: float) -> Floats:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0, 0], [0, cosine, -sine], [0, sine, cosine]])


def _about_z(angle: float) -> Floats:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1.0]])
