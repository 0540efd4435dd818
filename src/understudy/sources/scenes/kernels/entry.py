"""Render: the entry point of the kernels, which is compiled once and kept on disk."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from understudy.extras import optional
from understudy.sources.scenes.kernels import bounces, picture, tones
from understudy.sources.scenes.kernels.bounces import N_PROBES, PROBE_COLUMNS, WALL_EDGE
from understudy.sources.scenes.kernels.jit import kernel
from understudy.sources.scenes.kernels.picture import COUNT, FACING, N_ACROSS, SPOT
from understudy.sources.scenes.kernels.superellipsoids import normal
from understudy.sources.scenes.kernels.vectors import along, minus, transformed, triple
from understudy.sources.scenes.packing import CENTRE, EYE, INVERSE

_N_AROUND = 9
_N_BOUNCES = 2
_BLUR = (0.085, 0.83, 0.085)
"""Three pixels with the variance of the filter, 0.17 squared pixels."""

_light_backdrop, _place_probes, _gather = bounces.light_backdrop, bounces.place_probes, bounces.gather
_see, _eyes_of, _neighbours, _cast = picture.see, picture.eyes_of, picture.neighbours, picture.cast
_reflected, _ray_through = picture.reflected, picture.ray_through
_backdrop_at, _backdrop_depth = picture.backdrop_at, picture.backdrop_depth
_develop = tones.develop


@kernel
def _light_up(rows, lights, frame):
    wall = np.zeros((WALL_EDGE, WALL_EDGE))
    _light_backdrop(rows, lights, frame, wall)
    probes = np.zeros((rows.shape[0], N_PROBES, PROBE_COLUMNS))
    _place_probes(rows, lights, probes)
    for _ in range(_N_BOUNCES):
        _gather(rows, frame, wall, probes)
    return wall, probes


@kernel
def _pixel(rows, lights, lit, views, place):
    """Return the light of one pixel that shows a part or is next to one."""
    wall, probes = lit
    frame, eyes, scratch = views
    row, column, count, nearest, depth, own = place
    around, sums, blockers, found = scratch
    ray = _ray_through(frame, nearest.shape[0], column + 0.5, row + 0.5)
    which = (row % 2) * 2 + column % 2
    if count == 1:
        k = nearest[row, column]
        point = along(triple(frame, EYE, 0), ray, depth[row, column])
        local = transformed(rows, k, INVERSE, minus(point, triple(rows, k, CENTRE)))
        facing = normal(rows, k, local)
        light = _reflected(rows, lights, probes, ((k, point, which), blockers, found), facing)
        own[row, column, 0], own[row, column, 1], own[row, column, 2] = light
        return light
    shine = triple(lights[0], lights.shape[1] - 1, 0)
    _cast(rows, frame, eyes, around, (nearest.shape[0], row, column, count, sums, shine))
    red, green, blue = _backdrop_at(frame, wall, ray)
    left = float(N_ACROSS * N_ACROSS)
    for side in range(2 * count):
        left -= sums[side, COUNT]
    red, green, blue = red * left, green * left, blue * left
    own[row, column, 0] = -1.0
    for number in range(count):
        n, light = _mean_light(rows, lights, probes, (around[number], number, which), (sums, blockers, found))
        if n > 0.0:
            red, green, blue = red + light[0], green + light[1], blue + light[2]
            if around[number] == nearest[row, column]:
                own[row, column, 0], own[row, column, 1], own[row, column, 2] = along((0.0, 0.0, 0.0), light, 1.0 / n)
    total = float(N_ACROSS * N_ACROSS)
    return red / total, green / total, blue / total


@kernel
def _mean_light(rows, lights, probes, who, scratch):
    """Return how many rays of a pixel met a part, and the sum of the light that it sends along them."""
    k, number, which = who
    sums, blockers, found = scratch
    n, light, origin = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for side in range(2 * number, 2 * number + 2):
        count = sums[side, COUNT]
        if count == 0.0:
            continue
        point = along(origin, triple(sums, side, SPOT), 1.0 / count)
        # Not made a unit vector again: the light on a curved spot is what its mean direction receives.
        facing = along(origin, triple(sums, side, FACING), 1.0 / count)
        light = along(light, _reflected(rows, lights, probes, ((k, point, which), blockers, found), facing), count)
        n += count
    return n, light


@kernel
def _smooth(nearest, linear, own):
    """Blur the inside of parts as much as the filter of the pixels does."""
    edge = nearest.shape[0]
    for row in range(1, edge - 1):
        for column in range(1, edge - 1):
            k, is_inside = nearest[row, column], own[row, column, 0] >= 0.0
            for i in range(3):
                for j in range(3):
                    is_inside = is_inside and nearest[row + i - 1, column + j - 1] == k
            if k < 0 or not is_inside:
                continue
            red, green, blue, total = 0.0, 0.0, 0.0, 0.0
            for i in range(3):
                for j in range(3):
                    y, x = row + i - 1, column + j - 1
                    weight = _BLUR[i] * _BLUR[j] if own[y, x, 0] >= 0.0 else 0.0
                    total += weight
                    red, green = red + weight * own[y, x, 0], green + weight * own[y, x, 1]
                    blue += weight * own[y, x, 2]
            linear[row, column, 0], linear[row, column, 1] = red / total, green / total
            linear[row, column, 2] = blue / total


@kernel
def _paint(rows, lights, frame, lit, seen):
    """Fill a picture with linear light, and the depth of the backdrop where no part is."""
    nearest, depth = seen
    edge = nearest.shape[0]
    linear, own = np.empty((edge, edge, 3)), np.full((edge, edge, 3), -1.0)
    around, sums = np.empty(_N_AROUND, np.int64), np.empty((2 * _N_AROUND, 7))
    blockers, found = np.zeros(rows.shape[0] + 1, np.int64), np.zeros(PROBE_COLUMNS)
    scratch, eyes = (around, sums, blockers, found), _eyes_of(rows, frame)
    for row in range(edge):
        for column in range(edge):
            count = _neighbours(nearest, row, column, around)
            ray = _ray_through(frame, edge, column + 0.5, row + 0.5)
            if nearest[row, column] < 0:
                depth[row, column] = _backdrop_depth(frame, ray)
            if count == 1 and around[0] < 0:
                light = _backdrop_at(frame, lit[0], ray)
            else:
                place = (row, column, count, nearest, depth, own)
                light = _pixel(rows, lights, lit, (frame, eyes, scratch), place)
            linear[row, column, 0], linear[row, column, 1], linear[row, column, 2] = light
    _smooth(nearest, linear, own)
    return linear


def _digest() -> int:
    """Number the present text of all kernels: numba looks at one file only to see whether what it kept is stale."""
    folder = Path(__file__).parent
    text = b"".join(path.read_bytes() for path in (*sorted(folder.glob("*.py")), folder.parent / "packing.py"))
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


def _entry(digest: int) -> Any:
    @optional("numba", extra="scenes").njit(error_model="numpy", fastmath=True, nogil=True, cache=True)
    def render(rows, frame, lights, rectangles, out):
        tones, bytes_out, nearest, depth = out
        lit = _light_up(rows, lights, frame)
        seen = (nearest, depth)
        _see(rows, frame, _eyes_of(rows, frame), rectangles, seen)
        linear = _paint(rows, lights, frame, lit, seen)
        _develop(linear, frame, tones, bytes_out)
        return digest

    return render


DIGEST = _digest()
render: Any = _entry(DIGEST)
"""Draws a packed scene into arrays that the caller made."""
