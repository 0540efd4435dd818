"""Sprites: every picture of the dSprites set, drawn from its factors by our own renderer.

The order and the values of the factors are the official ones (Matthey et al., 2017): shape, scale, orientation, x, y,
the last varying fastest. The outlines are ours, sized so that the pictures have the official share of white (0.0425);
single pixels along an edge therefore differ from the official file, which `rows_from_npz` can read instead.
"""

from functools import cache
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.sources.files import arrays_from_npz
from understudy.statistics.arrays import Bytes, Floats, Ints

FACTORS = ("shape", "scale", "orientation", "x", "y")
SHAPES = ("square", "ellipse", "heart")
SIZES = (3, 6, 40, 32, 32)
N_INSTANCES = 737_280
EDGE = 64
"""Rows and columns of a picture."""
FIRST_PLACE = 16
"""The row or column on which a sprite at position 0 is centred; each step moves it by one pixel."""
LAST_PLACE = FIRST_PLACE + SIZES[3] - 1

VALUES: tuple[Floats, ...] = (
    np.array([1.0, 2.0, 3.0]),
    np.linspace(0.5, 1, 6),
    np.linspace(0, 2 * np.pi, 40),
    np.linspace(0, 1, 32),
    np.linspace(0, 1, 32),
)
"""The values of each factor; the first and the last orientation look the same."""

SQUARE_SIDE = 18.0
ELLIPSE_AXES = (13.2, 6.6)
HEART_UNIT = 0.7087
"""Pixels for one unit of the heart curve x = 16 sin^3 t, y = 13 cos t - 5 cos 2t - 2 cos 3t - cos 4t."""


def factors_from_places(places: Ints) -> Floats:
    """Return the five factor values of instances, by their indices in the official order."""
    levels = np.unravel_index(places, SIZES)
    return np.column_stack([values[level] for values, level in zip(VALUES, levels, strict=True)])


def pictures_from_places(places: Ints) -> Bytes:
    """Draw instances, one row of 64 x 64 zeros and ones each."""
    shape, scale, orientation, x, y = np.unravel_index(places, SIZES)
    outlines = (shape * SIZES[1] + scale) * SIZES[2] + orientation
    cells = np.arange(EDGE)
    rows = cells[None] + LAST_PLACE - (y[:, None] + FIRST_PLACE)
    columns = cells[None] + LAST_PLACE - (x[:, None] + FIRST_PLACE)
    pictures: Bytes = padded_outlines()[outlines[:, None, None], rows[:, :, None], columns[:, None, :]]
    return pictures.reshape(len(places), EDGE * EDGE)


@cache
def padded_outlines() -> Bytes:
    """Return the 720 sprites, by shape, scale and orientation, each with enough margin to crop any position."""
    edge = EDGE + LAST_PLACE - FIRST_PLACE
    offsets = np.arange(edge) - LAST_PLACE
    down, right = np.meshgrid(offsets, offsets, indexing="ij")
    sprites = np.zeros((SIZES[0] * SIZES[1] * SIZES[2], edge, edge), dtype=np.uint8)
    index = 0
    for shape in SHAPES:
        for scale in VALUES[1]:
            for angle in VALUES[2]:
                across = (np.cos(angle) * right + np.sin(angle) * down) / scale
                along = (-np.sin(angle) * right + np.cos(angle) * down) / scale
                sprites[index] = _is_inside(shape, across, along)
                index += 1
    sprites.setflags(write=False)
    return sprites


def _is_inside(shape: str, across: Floats, along: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    if shape == "square":
        inside = np.maximum(np.abs(across), np.abs(along)) <= SQUARE_SIDE / 2
    elif shape == "ellipse":
        inside = (across / ELLIPSE_AXES[0]) ** 2 + (along / ELLIPSE_AXES[1]) ** 2 <= 1
    else:
        inside = _is_inside_heart(np.abs(across) / HEART_UNIT, -along / HEART_UNIT)
    return np.asarray(inside)


def _is_inside_heart(x: Floats, y: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Tell whether points lie between the upper and the lower branch of the heart curve, by its right half."""
    # The curve goes right until t = pi / 2 and back left, so each half of t gives one branch as a function of x.
    upper, lower = np.linspace(0, np.pi / 2, 400), np.linspace(np.pi, np.pi / 2, 400)
    top = np.interp(x, _heart_x(upper), _heart_y(upper), right=-np.inf)
    bottom = np.interp(x, _heart_x(lower), _heart_y(lower), right=np.inf)
    return np.asarray((y <= top) & (y >= bottom))


def _heart_x(t: Floats) -> Floats:
    return np.asarray(16 * np.sin(t) ** 3)


def _heart_y(t: Floats) -> Floats:
    return np.asarray(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))


def rows_from_npz(path: Path) -> Bytes:
    """Read the pictures of the official file, one row of zeros and ones each."""
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the official dSprites npz there, or leave the path out.")
    members = arrays_from_npz(path, ("imgs",), most_bytes=4 * 2**30)
    if "imgs" not in members:
        raise MaterialsError(f"{path} holds no array 'imgs', so it is not the official dSprites file.")
    pictures: Bytes = members["imgs"]
    if pictures.shape != (N_INSTANCES, EDGE, EDGE):
        raise MaterialsError(
            f"{path} holds pictures of shape {pictures.shape}; the official file has {(N_INSTANCES, EDGE, EDGE)}."
        )
    return pictures.reshape(N_INSTANCES, EDGE * EDGE)
