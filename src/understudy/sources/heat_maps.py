"""Heat maps as grids: averaged, compared with regions, and outlined."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.deferred.scipy import ndimage
from understudy.roles import Floats
from understudy.schema import BoxRule, Region
from understudy.statistics.arrays import Floats as arrays_Floats


def coarsened(pixels: Floats, most: int) -> Floats:
    """Return a map with at most so many cells along its longer side, each the mean of its pixels."""
    height, width = pixels.shape
    longer = max(height, width)
    if longer <= most:
        return pixels
    size = (max(1, round(width * most / longer)), max(1, round(height * most / longer)))
    image = Image.fromarray(np.asarray(pixels, dtype=np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.float64)


# Map regions: the part of a picture where a coarse map is high, as one rectangle.

PERCENTILE = 95.0
"""The pixels that ProtoPNet draws its box around (Chen et al., 2019)."""
_N_DIGITS = 6


def enlarged_map(coarse: arrays_Floats, height: int, width: int) -> arrays_Floats:
    """Return a map bicubically enlarged to a number of pixels, in its own units."""
    image = Image.fromarray(np.asarray(coarse, dtype=np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float64)


def region_of_map(coarse: arrays_Floats, height: int, width: int, *, box: BoxRule = "all") -> Region:
    """Return the smallest rectangle around the highest pixels of the enlarged map."""
    pixels = enlarged_map(coarse, height, width)
    is_high = pixels >= np.percentile(pixels, PERCENTILE)
    if box == "peak":
        areas, _ = ndimage.label(is_high)
        is_high = areas == areas[np.unravel_index(int(pixels.argmax()), pixels.shape)]
    top, bottom = _span(np.asarray(is_high.any(axis=1)), height // coarse.shape[0] if box == "peak" else 1)
    left, right = _span(np.asarray(is_high.any(axis=0)), width // coarse.shape[1] if box == "peak" else 1)
    return Region(
        left=round(left / width, _N_DIGITS),
        top=round(top / height, _N_DIGITS),
        width=round((right - left) / width, _N_DIGITS),
        height=round((bottom - top) / height, _N_DIGITS),
    )


def _span(is_inside: npt.NDArray[np.bool_], least: int) -> tuple[int, int]:
    """Return where the marked pixels begin and end; a shorter span is widened, so that a peak at the edge can be seen."""
    found = np.flatnonzero(is_inside)
    begin, end = int(found[0]), int(found[-1]) + 1
    begin = max(0, min(begin, (begin + end - least) // 2, len(is_inside) - least))
    return begin, max(end, begin + least)


# Outlines: closed lines around the high values of a coarse map, for highlights that stay sharp at any size.

LEVEL = 0.5
TOLERANCE = 0.004
"""How far a simplified line may be from the exact one, in shares of the picture: a quarter of a pixel at 64."""
_SIDES = {
    1: ((3, 2),), 2: ((2, 1),), 3: ((3, 1),), 4: ((0, 1),), 5: ((3, 0), (2, 1)), 6: ((0, 2),), 7: ((3, 0),),
    8: ((3, 0),), 9: ((0, 2),), 10: ((3, 2), (0, 1)), 11: ((0, 1),), 12: ((3, 1),), 13: ((2, 1),), 14: ((3, 2),),
}  # fmt: skip
"""Marching squares: which sides (top, right, bottom, left) a line joins, by the corners that are high.

Corners count 8 (top left), 4 (top right), 2 (bottom right), 1 (bottom left).
"""


class _Edge(NamedTuple):
    """The side between two neighbouring points of the map."""

    row: int
    column: int
    is_vertical: bool


Points = list[tuple[float, float]]


def scaled(coarse: arrays_Floats, n_pixels: int) -> arrays_Floats:
    """Bring a map to values from 0 to 1, and bicubically to the size of the picture."""
    low, high = float(coarse.min()), float(coarse.max())
    shares = (coarse - low) / (high - low) if high > low else np.zeros_like(coarse)
    image = Image.fromarray(shares.astype(np.float32))
    return np.asarray(image.resize((n_pixels, n_pixels), Image.Resampling.BICUBIC), dtype=np.float64)


def outlines_of(values: arrays_Floats, *, level: float = LEVEL) -> list[Points]:
    """Return closed lines around values of at least `level`, as points in shares of width and height."""
    # A border of low values closes every line at the edge of the picture.
    padded = np.pad(values, 1, constant_values=min(float(values.min()), level) - 1)
    joined: dict[_Edge, list[_Edge]] = {}
    is_high = padded >= level
    codes = 8 * is_high[:-1, :-1] + 4 * is_high[:-1, 1:] + 2 * is_high[1:, 1:] + 1 * is_high[1:, :-1]
    for row, column in zip(*np.nonzero((codes > 0) & (codes < 15)), strict=True):
        for sides in _SIDES[int(codes[row, column])]:
            first, second = (_edge(int(row), int(column), side) for side in sides)
            joined.setdefault(first, []).append(second)
            joined.setdefault(second, []).append(first)
    return [_simplified([_crossing(padded, edge, level) for edge in ring]) for ring in _rings(joined)]


def _edge(row: int, column: int, side: int) -> _Edge:
    top_or_left = _Edge(row, column, is_vertical=side == 3)
    return (top_or_left, _Edge(row, column + 1, True), _Edge(row + 1, column, False), top_or_left)[side]


def _rings(joined: dict[_Edge, list[_Edge]]) -> list[list[_Edge]]:
    """Follow the joins until each line comes back to where it began."""
    left, rings = dict.fromkeys(joined), []
    while left:
        start = next(iter(left))
        ring, edge = [], start
        while edge in left:
            del left[edge]
            ring.append(edge)
            edge = next((other for other in joined[edge] if other in left), start)
        rings.append(ring)
    return rings


def _crossing(padded: arrays_Floats, edge: _Edge, level: float) -> tuple[float, float]:
    """Return where a side reaches the level, in shares of the picture without its border."""
    here = padded[edge.row, edge.column]
    there = padded[edge.row + edge.is_vertical, edge.column + (not edge.is_vertical)]
    share = float((level - here) / (there - here))
    height, width = (size - 2 for size in padded.shape)
    x = (edge.column + (0 if edge.is_vertical else share) - 0.5) / width
    y = (edge.row + (share if edge.is_vertical else 0) - 0.5) / height
    if edge.is_vertical:
        return x, _at_border(edge.row, height, y)
    return _at_border(edge.column, width, x), y


def _at_border(place: int, size: int, share: float) -> float:
    """Return a share; next to the border of low values it is exactly that of the edge of the picture."""
    return 0.0 if place == 0 else 1.0 if place == size else share


def _simplified(points: Points) -> Points:
    """Leave out points that lie on the line between others (Douglas and Peucker, 1973)."""
    ring = np.array(points)
    middle = int(np.argmax(((ring - ring[0]) ** 2).sum(axis=1)))
    kept = {0, middle, *_kept(ring, 0, middle), *_kept(np.vstack([ring, ring[:1]]), middle, len(ring))}
    chosen = [points[number] for number in sorted(number for number in kept if number < len(points))]
    # A region of a single pixel may shrink to a line.
    shown = chosen if len(chosen) >= 3 else points
    return [(round(x, 4), round(y, 4)) for x, y in shown]


def _kept(ring: arrays_Floats, first: int, last: int) -> set[int]:
    if last - first < 2:
        return set()
    start, along = ring[first], ring[last] - ring[first]
    length = float(np.hypot(*along))
    inner = ring[first + 1 : last] - start
    away = np.abs(inner @ (along[1], -along[0])) / length if length > 0 else np.hypot(inner[:, 0], inner[:, 1])
    farthest = int(np.argmax(away))
    if away[farthest] <= TOLERANCE:
        return set()
    middle = first + 1 + farthest
    return {middle, *_kept(ring, first, middle), *_kept(ring, middle, last)}
