"""Diverging colours: the blue-white-red map "coolwarm", computed as Moreland (2009) defines it.

Moreland, K. Diverging color maps for scientific visualization. ISVC 2009. Colours are mixed in Msh, a polar form of
CIELAB in which the middle of the map is white and both halves change evenly.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from understudy.roles import Floats
from understudy.sources.scenes.scene import Rgb

_BLUE, _RED = (59 / 255, 76 / 255, 192 / 255), (180 / 255, 4 / 255, 38 / 255)
_WHITE_M = 88.0
_N_ENTRIES = 256
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.95047, 1.0, 1.08883])
"""Daylight D65, which sRGB takes for white."""


class _Msh(NamedTuple):
    """Magnitude, saturation and hue."""

    m: float
    s: float
    h: float


def coolwarm(value: float) -> Rgb:
    """Return the colour at a value from 0 (blue) to 1 (red), as a screen encodes it.

    >>> [round(share, 2) for share in coolwarm(0.5)]
    [0.86, 0.86, 0.86]
    """
    entry = min(int(min(max(value, 0.0), 1.0) * _N_ENTRIES), _N_ENTRIES - 1)
    red, green, blue = _table()[entry]
    return float(red), float(green), float(blue)


@cache
def _table() -> Floats:
    # The map of 256 entries that plotting libraries keep; a value in between takes the entry below.
    return np.array([_mixed(k / (_N_ENTRIES - 1)) for k in range(_N_ENTRIES)])


def _mixed(value: float) -> Floats:
    start, end = _msh(_BLUE), _msh(_RED)
    middle = max(start.m, end.m, _WHITE_M)
    if value < 0.5:
        return _rgb(_between(start, _Msh(middle, 0.0, _adjusted_hue(start, middle)), 2 * value))
    return _rgb(_between(_Msh(middle, 0.0, _adjusted_hue(end, middle)), end, 2 * value - 1))


def _between(a: _Msh, b: _Msh, share: float) -> _Msh:
    return _Msh(*(x * (1 - share) + y * share for x, y in zip(a, b, strict=True)))


def _adjusted_hue(end: _Msh, middle: float) -> float:
    """Turn the hue on the way to white, so that steps look equal."""
    if end.m >= middle:
        return end.h
    turn = end.s * math.sqrt(middle**2 - end.m**2) / (end.m * math.sin(end.s))
    return end.h + turn if end.h > -math.pi / 3 else end.h - turn


def _msh(rgb: Rgb) -> _Msh:
    shares = np.array(rgb)
    linear = np.where(shares > 0.04045, ((shares + 0.055) / 1.055) ** 2.4, shares / 12.92)
    x, y, z = (_cube_root(float(value)) for value in _TO_XYZ @ linear / _WHITE)
    light, a, b = 116 * y - 16, 500 * (x - y), 200 * (y - z)
    m = math.sqrt(light**2 + a**2 + b**2)
    return _Msh(m, math.acos(light / m), math.atan2(b, a))


def _cube_root(t: float) -> float:
    return float(t ** (1 / 3)) if t > 0.008856 else 7.787 * t + 16 / 116


def _rgb(colour: _Msh) -> Floats:
    light = colour.m * math.cos(colour.s)
    a, b = (colour.m * math.sin(colour.s) * turn(colour.h) for turn in (math.cos, math.sin))
    y = (light + 16) / 116
    roots = np.array([y + a / 500, y, y - b / 200])
    xyz = np.where(roots > 0.2068966, roots**3, (roots - 16 / 116) / 7.787) * _WHITE
    linear = np.clip(np.linalg.solve(_TO_XYZ, xyz), 0, None)
    encoded: Floats = np.clip(np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear), 0, 1)
    return encoded
