"""Superellipsoids: where a ray meets a part, and whether a part blocks a ray.

In the space of a part its surface is the unit sphere of the p-norm. That norm is convex along a ray, so Newton's method
from outside never steps across the first hit. For p >= 2 the Euclidean unit ball fits inside, and most questions about
shadows are settled by that ball and the one around the part, without any power.
"""

import math

from understudy.sources.scenes.kernels.jit import kernel
from understudy.sources.scenes.kernels.powers import power
from understudy.sources.scenes.kernels.vectors import along, dot, minus, transformed, transformed_back, triple, unit
from understudy.sources.scenes.packing import CENTRE, EXPONENT, FORWARD, INNER, INVERSE, OUTER, REACH

MISS = -1.0
_NEAR_SURFACE = 3e-4
_MAX_STEPS = 24


@kernel
def _away_from_zero(x):
    return math.copysign(max(abs(x), 1e-9), x)


@kernel
def _box_entry(origin, direction):
    """Return where a ray enters and leaves the cube around the unit ball."""
    first, last = -1e30, 1e30
    for axis in range(3):
        inverse = 1.0 / _away_from_zero(direction[axis])
        a, b = (-1.0 - origin[axis]) * inverse, (1.0 - origin[axis]) * inverse
        first, last = max(first, min(a, b)), min(last, max(a, b))
    return first, last


@kernel
def hit(rows, k, origin, direction):
    """Return how far along a ray, given in the space of part k, its surface is; MISS where it is not."""
    a, b = dot(direction, direction), dot(origin, direction)
    inside = b * b - a * (dot(origin, origin) - rows[k, OUTER])
    if inside <= 0.0:
        return MISS
    first, last = _box_entry(origin, direction)
    t = max(first, (-b - math.sqrt(inside)) / a, 0.0)
    if t >= last or last <= 0.0:
        return MISS
    p = rows[k, EXPONENT]
    for _ in range(_MAX_STEPS):
        x, y, z = along(origin, direction, t)
        x, y, z = _away_from_zero(x), _away_from_zero(y), _away_from_zero(z)
        px, py, pz = power(abs(x), p), power(abs(y), p), power(abs(z), p)
        total = px + py + pz
        norm = power(total, 1.0 / p)
        if norm - 1.0 < _NEAR_SURFACE:
            return t
        slope = norm / total * (px / x * direction[0] + py / y * direction[1] + pz / z * direction[2])
        if slope >= 0.0:
            return MISS
        t -= (norm - 1.0) / slope
        if t > last:
            return MISS
    return t


@kernel
def blocks(rows, k, origin, direction):
    """Say whether part k is between a point and the end of a vector from there."""
    centre = minus(triple(rows, k, CENTRE), origin)
    reach = rows[k, REACH]
    b = dot(centre, direction)
    if b <= 0.0:
        return False
    a = dot(direction, direction)
    if dot(centre, centre) - b * b / a >= reach * reach:
        return False
    x = transformed(rows, k, INVERSE, centre)
    start = (-x[0], -x[1], -x[2])
    ray = transformed(rows, k, INVERSE, direction)
    nearest = min(max(-dot(start, ray) / dot(ray, ray), 0.0), 1.0)
    closest = along(start, ray, nearest)
    gap = dot(closest, closest)
    if gap < rows[k, INNER]:
        return True
    if gap >= rows[k, OUTER]:
        return False
    t = hit(rows, k, start, ray)
    return 0.0 <= t < 1.0


@kernel
def normal(rows, k, local):
    """Return the outward direction at a point of part k, given in its own space."""
    p = rows[k, EXPONENT] - 1.0
    # The largest coordinate is divided out, so that powers of small ones neither vanish together nor overflow.
    largest = max(abs(local[0]), abs(local[1]), abs(local[2]))
    slope = (
        math.copysign(power(max(abs(local[0]) / largest, 1e-9), p), local[0]),
        math.copysign(power(max(abs(local[1]) / largest, 1e-9), p), local[1]),
        math.copysign(power(max(abs(local[2]) / largest, 1e-9), p), local[2]),
    )
    return unit(transformed_back(rows, k, INVERSE, slope))


@kernel
def on_surface(rows, k, local):
    """Scale a direction, in the space of part k, to its surface."""
    p = rows[k, EXPONENT]
    total = 0.0
    for axis in range(3):
        total += power(max(abs(local[axis]), 1e-9), p)
    scale = power(total, -1.0 / p)
    return local[0] * scale, local[1] * scale, local[2] * scale


@kernel
def to_scene(rows, k, local):
    """Return a point of part k in the space of the scene."""
    return along(triple(rows, k, CENTRE), transformed(rows, k, FORWARD, local), 1.0)
