"""The renderer: a scene as a picture, with one compilation for processes that start together.

Compiling takes half a minute of a whole core. Four processes on two cores would each take two minutes.
"""

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import interpolate
from understudy.errors import MaterialsError, optional
from understudy.roles import Floats, Pixels
from understudy.worlds.packing import packed
from understudy.worlds.scene import Scene, check_scene

_PATIENCE_S = 600.0


@contextmanager
def compiling_once(folder: Path, digest: int) -> Iterator[None]:
    """Let one process at a time into the block, until one has left it: from then on, kernels are in the folder."""
    done = folder / f"kernels-{digest:x}.done"
    if done.exists():
        yield
        return
    try:
        folder.mkdir(exist_ok=True)
        # A transaction works as a lock on every system, which releases it when the process ends.
        lock = sqlite3.connect(done.with_suffix(".lock"), timeout=_PATIENCE_S, isolation_level=None)
    except (OSError, sqlite3.Error):
        # A folder that cannot be written to: numba keeps kernels elsewhere, and everybody compiles.
        yield
        return
    with closing(lock):
        _begin(lock)
        yield
        done.touch()


def _begin(lock: sqlite3.Connection) -> None:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        # Somebody compiles for longer than anybody should wait, or the disk refuses: compile as well.
        return


# Tone: how linear light becomes the value of a pixel, after the Filmic view of Blender 2.8 (look: none).

_LINEAR = (
    0.18 * 2**-10, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.18, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16.3,
)  # fmt: skip
_SHOWN = (
    0.0, 0.0162, 0.0619, 0.1011, 0.1592, 0.2731, 0.3883, 0.5002, 0.5996, 0.6950, 0.7636, 0.8072, 0.8605, 0.8923, 0.9288,
    0.9494, 0.9625, 0.9716, 0.9832, 0.9901, 0.9946, 1.0,
)  # fmt: skip
"""Measured in Blender, except for the first pair: Filmic's range begins ten stops below middle grey."""
N_STEPS = 4096
FIRST, LAST = math.log2(_LINEAR[0]), math.log2(_LINEAR[-1])
"""The base-2 logarithms of the light at both ends of the curve."""


@cache
def tone_curve() -> Floats:
    """Return pixel values from 0 to 255 at N_STEPS equal steps of the logarithm of light."""
    # Cubic pieces that never overshoot: straight ones would show corners in smooth shades.
    curve = interpolate.PchipInterpolator(np.log2(_LINEAR), _SHOWN)
    steps: Floats = np.asarray(curve(np.linspace(FIRST, LAST, N_STEPS))) * 255.0
    return steps


# Renderer: a scene to a picture, a mask of its parts and their depth, on the CPU in some milliseconds.

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
    return optional("understudy.worlds.kernels.picture", extra="scenes")


@cache
def _tones() -> Floats:
    return np.concatenate([[FIRST, LAST], tone_curve()])
