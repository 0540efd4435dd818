"""Renderer: a scene to a picture, a mask of its parts and their depth, on the CPU in some milliseconds."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.roles import Floats, Pixels
from understudy.sources.scenes.first_compile import compiling_once
from understudy.sources.scenes.packing import packed
from understudy.sources.scenes.scene import Scene, check_scene
from understudy.sources.scenes.tone import FIRST, LAST, tone_curve

EDGE = 128
MIN_EDGE, MAX_EDGE = 8, 2048


class Rendered(NamedTuple):
    """What a scene looks like."""

    picture: Pixels
    """(edge, edge, 3), as a screen shows it."""
    mask: Pixels
    """(edge, edge): the id of the part in the centre of each pixel, 0 where the backdrop is."""
    depth: npt.NDArray[np.float32]
    """(edge, edge): distance from the camera along its line of sight; infinite where nothing is."""


def render(scene: Scene, *, edge: int = EDGE) -> Rendered:
    """Draw a scene. The same scene always gives the same bytes, on any number of threads."""
    check_scene(scene)
    if not MIN_EDGE <= edge <= MAX_EDGE:
        raise MaterialsError(f"The picture is to have {edge} pixels a side. Use {MIN_EDGE} to {MAX_EDGE}.")
    arrays = packed(scene, edge=edge)
    picture = np.empty((edge, edge, 3), dtype=np.uint8)
    nearest = np.full((edge, edge), -1, dtype=np.int64)
    depth = np.full((edge, edge), np.inf)
    out = (_tones(), picture, nearest, depth)
    kernels = _kernels()
    with compiling_once(Path(kernels.__file__).parent / "__pycache__", kernels.DIGEST):
        kernels.render(arrays.parts, arrays.frame, arrays.lights, arrays.rectangles, out)
    mask = np.append(arrays.part_ids, np.uint8(0))[nearest]
    return Rendered(picture, mask, depth.astype(np.float32))


def _kernels() -> Any:
    return optional("understudy.sources.scenes.kernels.entry", extra="scenes")


@cache
def _tones() -> Floats:
    return np.concatenate([[FIRST, LAST], tone_curve()])
