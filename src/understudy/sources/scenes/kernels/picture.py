"""Picture: one ray through the centre of each pixel, more where parts meet, and light for what they hit."""

import math

import numpy as np

from understudy.sources.scenes.kernels.bounces import (
    backdrop_light,
    bounced,
    harmonics,
    place_on_backdrop,
    read_probes,
    to_backdrop,
)
from understudy.sources.scenes.kernels.jit import kernel
from understudy.sources.scenes.kernels.light import find_blockers, irradiance
from understudy.sources.scenes.kernels.superellipsoids import hit, normal
from understudy.sources.scenes.kernels.vectors import along, dot, minus, transformed, triple
from understudy.sources.scenes.packing import (
    AHEAD,
    ALBEDO,
    CENTRE,
    EYE,
    INVERSE,
    RIGHT,
    UP,
    WALL_ALBEDO,
)

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
