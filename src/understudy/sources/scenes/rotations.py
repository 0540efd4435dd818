"""Rotations in space."""

import math

import numpy as np

from understudy.roles import Floats


def rotation_about(axis: int, angle: float) -> Floats:
    """Return the rotation about an axis of space, by an angle in radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    matrix = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i] = matrix[j, j] = cosine
    matrix[i, j], matrix[j, i] = -sine, sine
    return matrix
