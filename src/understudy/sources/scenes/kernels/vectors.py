"""Vectors of three numbers, as tuples: they stay in registers."""

import math

from understudy.sources.scenes.kernels.jit import kernel


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
