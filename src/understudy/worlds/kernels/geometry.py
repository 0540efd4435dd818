"""Kernels of geometry: vectors, powers and superellipsoids, compiled."""

import math
from typing import Any

import numpy as np

from understudy.errors import optional
from understudy.worlds.packing import CENTRE, EXPONENT, FORWARD, INNER, INVERSE, OUTER, REACH

_numba = optional("numba", extra="scenes")

kernel: Any = _numba.njit(error_model="numpy", fastmath=True, nogil=True)
"""Compiles a function that others call; only entry points are cached, with all that they call inside them."""


# Powers: x ** p for positive x, to five digits, which is far below a pixel, and much faster than the library's.

_MANTISSA, _ONE = 0x000F_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0000
_LOG = (1.4426832519512645, -0.7204423704711743, 0.4693016873372964, -0.3033896676219058, 0.14643361470637728, -0.0345952111638428)  # fmt: skip
_EXP = (0.6931475774690357, 0.24020687405140792, 0.055658664201543875, 0.009196802078795464, 0.0017896650271051699)
"""Least-squares fits of log2(1 + r) / r and (2 ** r - 1) / r at 64 Chebyshev nodes of [0, 1]: off by 9e-6 and 4e-7."""


@kernel
def log2(x):
    """Return the base-2 logarithm from the exponent and the mantissa of a number above 0."""
    bits = np.float64(x).view(np.int64)
    exponent = np.float64((bits >> 52) - 1023)
    r = np.int64((bits & _MANTISSA) | _ONE).view(np.float64) - 1.0
    inner = _LOG[2] + r * (_LOG[3] + r * (_LOG[4] + r * _LOG[5]))
    return exponent + r * (_LOG[0] + r * (_LOG[1] + r * inner))


@kernel
def exp2(x):
    """Return 2 ** x."""
    bounded = max(x, -1000.0)
    whole = math.floor(bounded)
    r = bounded - whole
    series = _EXP[0] + r * (_EXP[1] + r * (_EXP[2] + r * (_EXP[3] + r * _EXP[4])))
    return np.int64((np.int64(whole) + 1023) << 52).view(np.float64) * (1.0 + r * series)


@kernel
def power(x, p):
    """Return x ** p for x > 0."""
    return exp2(p * log2(x))


# Vectors of three numbers, as tuples: they stay in registers.


@kernel
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def minus(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def along(origin, direction, t):
    """Return origin + t * direction."""
    return origin[0] + t * direction[0], origin[1] + t * direction[1], origin[2] + t * direction[2]


@kernel
def unit(a):
    """Return a vector of length 1."""
    scale = 1.0 / math.sqrt(dot(a, a))
    return a[0] * scale, a[1] * scale, a[2] * scale


@kernel
def triple(rows, k, first):
    """Read three neighbouring numbers of a row."""
    return rows[k, first], rows[k, first + 1], rows[k, first + 2]


@kernel
def transformed(rows, k, first, a):
    """Multiply the 3 x 3 matrix that begins at a column of row k with a vector."""
    return (
        rows[k, first] * a[0] + rows[k, first + 1] * a[1] + rows[k, first + 2] * a[2],
        rows[k, first + 3] * a[0] + rows[k, first + 4] * a[1] + rows[k, first + 5] * a[2],
        rows[k, first + 6] * a[0] + rows[k, first + 7] * a[1] + rows[k, first + 8] * a[2],
    )


@kernel
def transformed_back(rows, k, first, a):
    """Multiply the transposed matrix with a vector."""
    return (
        rows[k, first] * a[0] + rows[k, first + 3] * a[1] + rows[k, first + 6] * a[2],
        rows[k, first + 1] * a[0] + rows[k, first + 4] * a[1] + rows[k, first + 7] * a[2],
        rows[k, first + 2] * a[0] + rows[k, first + 5] * a[1] + rows[k, first + 8] * a[2],
    )


# Superellipsoids: where a ray meets a part, and whether a part blocks a ray.
#
# In the space of a part its surface is the unit sphere of the p-norm. That norm is convex along a ray, so Newton's method
# from outside never steps across the first hit. For p >= 2 the Euclidean unit ball fits inside, and most questions about
# shadows are settled by that ball and the one around the part, without any power.

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
