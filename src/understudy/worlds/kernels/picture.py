"""Render: the entry point of the kernels, which is compiled once and kept on disk."""

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import optional
from understudy.worlds.kernels import light as bounces
from understudy.worlds.kernels.geometry import along, dot, hit, kernel, log2, minus, normal, transformed, triple
from understudy.worlds.kernels.light import (
    N_PROBES,
    PROBE_COLUMNS,
    WALL_EDGE,
    backdrop_light,
    bounced,
    find_blockers,
    harmonics,
    irradiance,
    place_on_backdrop,
    read_probes,
    to_backdrop,
)
from understudy.worlds.packing import AHEAD, ALBEDO, CENTRE, EYE, INVERSE, RIGHT, SHINE, UP, WALL_ALBEDO

# Picture: one ray through the centre of each pixel, more where parts meet, and light for what they hit.

FILTER_WIDTH_PX = 3.0
N_ACROSS = 4
"""Rays along each side of a pixel where parts meet."""
COUNT, SPOT, FACING = 0, 1, 4


def filter_offsets(n: int) -> np.ndarray:
    """Return where n rays cross a pixel, from its centre, so that each has an equal share of a Blackman-Harris window."""
    x = np.linspace(0, 1, 4001)
    turns = 2 * np.pi * np.outer([0, 1, 2, 3], x)
    window = np.array([0.35875, -0.48829, 0.14128, -0.01168]) @ np.cos(turns)
    below = np.cumsum(window)
    return (np.interp((np.arange(n) + 0.5) / n, below / below[-1], x) - 0.5) * FILTER_WIDTH_PX


_OFFSETS = filter_offsets(N_ACROSS)


@kernel
def ray_through(frame, edge, column, row):
    """Return the direction from the eye through a place of the picture, counted in pixels from its upper left."""
    across, up = 2.0 * column / edge - 1.0, 1.0 - 2.0 * row / edge
    return along(along(triple(frame, AHEAD, 0), triple(frame, RIGHT, 0), across), triple(frame, UP, 0), up)


@kernel
def eyes_of(rows, frame):
    """Return the eye in the space of each part."""
    eyes = np.empty((rows.shape[0], 3))
    for k in range(rows.shape[0]):
        eye = transformed(rows, k, INVERSE, minus(triple(frame, EYE, 0), triple(rows, k, CENTRE)))
        eyes[k, 0], eyes[k, 1], eyes[k, 2] = eye
    return eyes


@kernel
def see(rows, frame, eyes, rectangles, seen):
    """Find the part that each pixel's centre shows, and how far it is."""
    nearest, depth = seen
    edge = nearest.shape[0]
    for k in range(rows.shape[0]):
        eye = triple(eyes, k, 0)
        for row in range(rectangles[k, 2], rectangles[k, 3] + 1):
            for column in range(rectangles[k, 0], rectangles[k, 1] + 1):
                ray = ray_through(frame, edge, column + 0.5, row + 0.5)
                t = hit(rows, k, eye, transformed(rows, k, INVERSE, ray))
                if 0.0 <= t < depth[row, column]:
                    depth[row, column], nearest[row, column] = t, k


@kernel
def neighbours(nearest, row, column, around):
    """List the different parts, or -1 for none, in the 3 x 3 pixels around one, and return their number."""
    edge, count = nearest.shape[0], 0
    for i in range(max(row - 1, 0), min(row + 2, edge)):
        for j in range(max(column - 1, 0), min(column + 2, edge)):
            k, is_new = nearest[i, j], True
            for number in range(count):
                is_new = is_new and around[number] != k
            if is_new:
                around[count] = k
                count += 1
    return count


@kernel
def reflected(rows, lights, probes, spot, facing):
    """Return the light of three colours that a spot of a part sends to the eye."""
    (k, point, which), blockers, found = spot
    local = transformed(rows, k, INVERSE, minus(point, triple(rows, k, CENTRE)))
    find_blockers(rows, lights[which], point, k, blockers)
    straight = irradiance(rows, lights[which], blockers, point, facing)
    read_probes(probes, k, local, found)
    basis = harmonics(facing)
    return (
        rows[k, ALBEDO] * (straight + bounced(found, basis, 0)) / math.pi,
        rows[k, ALBEDO + 1] * (straight + bounced(found, basis, 1)) / math.pi,
        rows[k, ALBEDO + 2] * (straight + bounced(found, basis, 2)) / math.pi,
    )


@kernel
def backdrop_at(frame, wall, ray):
    """Return the light of three colours that the backdrop sends along a ray to the eye."""
    eye = triple(frame, EYE, 0)
    far = to_backdrop(frame, eye, ray)
    light = backdrop_light(frame, wall, along(eye, ray, far)) / math.pi if far >= 0.0 else 0.0
    albedo = triple(frame, WALL_ALBEDO, 0)
    return albedo[0] * light, albedo[1] * light, albedo[2] * light


@kernel
def backdrop_depth(frame, ray):
    """Return how far the backdrop is along a ray from the eye; infinite beyond its edges."""
    eye = triple(frame, EYE, 0)
    far = to_backdrop(frame, eye, ray)
    u, v = place_on_backdrop(frame, along(eye, ray, far))
    return far if far >= 0.0 and abs(u) <= 1.0 and abs(v) <= 1.0 else np.inf


@kernel
def cast(rows, frame, eyes, around, place):
    """Send the rays of one pixel to the parts around it, and add up where they meet each and how it faces there."""
    edge, row, column, count, sums, shine = place
    eye = triple(frame, EYE, 0)
    for side in range(2 * count):
        for item in range(sums.shape[1]):
            sums[side, item] = 0.0
    for i in range(N_ACROSS):
        for j in range(N_ACROSS):
            ray = ray_through(frame, edge, column + 0.5 + _OFFSETS[j], row + 0.5 + _OFFSETS[i])
            best, found = 1e30, -1
            for number in range(count):
                k = around[number]
                if k < 0:
                    continue
                t = hit(rows, k, triple(eyes, k, 0), transformed(rows, k, INVERSE, ray))
                if 0.0 <= t < best:
                    best, found = t, number
            if found >= 0:
                k = around[found]
                local = along(triple(eyes, k, 0), transformed(rows, k, INVERSE, ray), best)
                facing, point = normal(rows, k, local), along(eye, ray, best)
                # Rays that face the light are added apart: the mean of both sides would lose some of it.
                side = 2 * found + (1 if dot(facing, minus(shine, point)) > 0.0 else 0)
                sums[side, COUNT] += 1.0
                for axis in range(3):
                    sums[side, SPOT + axis] += point[axis]
                    sums[side, FACING + axis] += facing[axis]


# Tones: linear light to the bytes of a picture.


@kernel
def develop(linear, frame, tones, picture):
    """Write the picture; the first row of `tones` has the logarithms at both ends of the curve, the rest the curve."""
    first, last, n = tones[0], tones[1], tones.shape[0] - 2
    scale = (n - 1) / (last - first)
    for row in range(linear.shape[0]):
        for column in range(linear.shape[1]):
            for channel in range(3):
                light = max(linear[row, column, channel] * frame[SHINE, channel], 1e-12)
                place = min(max((log2(light) - first) * scale, 0.0), n - 1.001)
                step = int(place)
                share = place - step
                value = tones[2 + step] * (1.0 - share) + tones[3 + step] * share
                picture[row, column, channel] = np.uint8(value + 0.5)


_N_AROUND = 9
_N_BOUNCES = 2
_BLUR = (0.085, 0.83, 0.085)
"""Three pixels with the variance of the filter, 0.17 squared pixels."""

_light_backdrop, _place_probes, _gather = bounces.light_backdrop, bounces.place_probes, bounces.gather
_see, _eyes_of, _neighbours, _cast = see, eyes_of, neighbours, cast
_reflected, _ray_through = reflected, ray_through
_backdrop_at, _backdrop_depth = backdrop_at, backdrop_depth
_develop = develop


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
