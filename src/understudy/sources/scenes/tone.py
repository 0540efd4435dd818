"""Tone: how linear light becomes the value of a pixel, after the Filmic view of Blender 2.8 (look: none)."""

import math
from functools import cache

import numpy as np

from understudy.deferred.scipy import interpolate
from understudy.roles import Floats

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
