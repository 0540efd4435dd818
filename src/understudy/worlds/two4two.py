"""Two4Two: the family of scenes, and its diverging colours.

Moreland, K. Diverging color maps for scientific visualization. ISVC 2009. Colours are mixed in Msh, a polar form of
CIELAB in which the middle of the map is white and both halves change evenly.
"""

import math
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from understudy.roles import Floats
from understudy.schema import Record
from understudy.worlds.scene import AreaLight, Backdrop, Camera, Part, Rgb, Scene, rotation_about

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


# Two4Two: the animals of Sixt, Schuessler et al. (2022), eight blocks each, as scenes.

Brightness: TypeAlias = Literal["published", "blender-5"]
LIGHT_AREA = math.pi * 10 * 7.5
LIGHT_WATTS = 20_000
_RADIANCE: dict[Brightness, float] = {
    # Blender changed what the power of an elliptic light means; the published pictures were made before.
    "published": LIGHT_WATTS / (4 * LIGHT_AREA),
    "blender-5": LIGHT_WATTS / (math.pi * LIGHT_AREA),
}
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
_IS_RIGHT = (False, False, False, False, True, True, True, True)
_IS_CENTRAL = (False, False, False, True, True, False, False, False)
_NEAR_SHARE = 0.85
"""How much the corners near the middle of the animal follow the inner bone; the far corners follow the outer one."""
_ROUNDNESS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
_RADII = (0.3903, 0.3922, 0.3957, 0.4028, 0.4116, 0.4222)
_EXPONENTS = (8.246, 6.742, 5.213, 3.671, 2.743, 2.124)
"""Superellipsoids within 0.01 units of the chamfered and subdivided cubes of the original."""


class Two4Two(Record):
    """The parameters of one picture; names are those of the paper, angles are in radians."""

    legs: float = Field(default=0.0, ge=0, le=1)
    """0 is inside the end of the spine (Peeky), 1 outside (Stretchy)."""
    shape: float = Field(default=0.5, ge=0, le=1)
    """0 is cubes, 1 is balls."""
    bending: float = Field(default=0.0, ge=-math.pi / 8, le=math.pi / 8)
    roll: float = Field(default=0.0, ge=-math.pi / 3, le=math.pi / 3)
    pitch: float = Field(default=0.0, ge=-math.pi / 3, le=math.pi / 3)
    yaw: float = Field(default=0.0, ge=-2 * math.pi, le=2 * math.pi)
    """Turns the picture in its plane."""
    x: float = Field(default=0.0, ge=-3, le=3)
    y: float = Field(default=0.0, ge=-3, le=3)
    hue: float = Field(default=0.5, ge=0, le=1)
    """The colour of the animal: 0 is blue, 1 is red."""
    background: float = Field(default=0.45, ge=0, le=1)
    """The colour of the backdrop: 0 is blue, 1 is red."""
    animal_rgb: Rgb | None = None
    """In place of `hue`: shares of red, green and blue, linear."""
    background_rgb: Rgb | None = None
    """In place of `background`."""
    red_share: float = Field(default=1.0, gt=0, le=1)
    """How much of the red half of the colours the animal uses: the study drew 0.5 + 0.9 (v - 0.5) for v > 0.5."""
    brightness: Brightness = "published"
    """The light as in the published pictures, or as Blender 5 draws 20,000 W."""


def two4two_scene(params: Two4Two) -> Scene:
    """Return the scene of one animal."""
    corners = posed_corners(params)
    hue = params.hue if params.hue <= 0.5 else 0.5 + params.red_share * (params.hue - 0.5)
    animal = params.animal_rgb or coolwarm(hue)
    radius, exponent = _block_shape(params.shape)
    half_edge = _half_edge(params.shape)
    # Corners come in the order of _CORNERS, so that each axis is half the mean difference of two faces.
    axes = np.einsum("kci,ca->kia", corners, _CORNERS) / 8 * (radius / half_edge)
    centres = corners.mean(axis=1)
    parts = tuple(Part(centres[k], axes[k], exponent, animal, k + 1) for k in range(8))
    wall_x = float(corners[..., 0].min()) - 10
    colour = params.background_rgb or coolwarm(params.background)
    wall = Backdrop((wall_x, 0.0, 0.0), ((0.0, 10.0, 0.0), (0.0, 0.0, 10.0)), colour)
    return Scene(parts, Camera((9.0, 0.0, 0.0), (0.0, 0.0, 0.0)), _light(params.brightness), wall)


def _light(brightness: Brightness) -> AreaLight:
    turn = rotation_about(2, math.pi / 2) @ rotation_about(1, math.pi / 4) @ rotation_about(0, math.pi / 4)
    across, along = turn @ (10.0, 0.0, 0.0), turn @ (0.0, -7.5, 0.0)
    half_axes = (tuple(across.tolist()), tuple(along.tolist()))
    return AreaLight((10.0, 10.0, 10.0), half_axes, (_RADIANCE[brightness],) * 3)


def _half_edge(shape: float) -> float:
    return 0.5 * (0.8 + 0.1 * shape)


def _block_shape(shape: float) -> tuple[float, float]:
    radius = float(np.interp(shape, _ROUNDNESS, _RADII))
    return radius, 1 / float(np.interp(shape, _ROUNDNESS, 1 / np.array(_EXPONENTS)))


def _box_centre(corners: Floats) -> Floats:
    flat = corners.reshape(-1, 3)
    middle: Floats = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    return middle


def posed_corners(params: Two4Two) -> Floats:
    """Return the corners of the eight cubes, (8, 8, 3), after every step of the pose in the original's order."""
    legs = 1.5 + params.legs
    centres = np.array(
        [[0, -1.5, 1], [0, -1.5, -1], [0, -1, 0], [0, 0, 0], [0, 1, 0], [0, 2, 0], [0, legs, 1], [0, legs, -1]]
    )
    corners = centres[:, None, :] + _CORNERS * _half_edge(params.shape)
    # The original moves its animals only half of the way to the middle, three times; so do we.
    shift = -0.5 * _box_centre(corners)
    corners = _bent(corners + shift, params.bending, shift)
    corners = corners - 0.5 * _box_centre(corners)
    for axis, angle in ((1, params.roll), (2, params.pitch), (0, params.yaw)):
        middle = _box_centre(corners)
        corners = (corners - middle) @ rotation_about(axis, angle).T + middle
    corners = corners - 0.5 * _box_centre(corners)
    placed: Floats = corners + np.array([0.0, params.x, params.y])
    return placed


def _bent(corners: Floats, bending: float, shift: Floats) -> Floats:
    """Bend both halves of the spine the same way, each about the middle and about its own joint."""
    middle = np.array([0.0, 0.5, 0.0]) + shift
    bent = np.empty_like(corners)
    for k in range(8):
        sign = 1.0 if _IS_RIGHT[k] else -1.0
        joint = middle + np.array([0.0, 0.5 * sign, 0.0])
        half, whole = rotation_about(0, sign * bending / 2), rotation_about(0, sign * bending)
        inner = (corners[k] - middle) @ half.T + middle
        outer = ((corners[k] - joint) @ whole.T + joint - middle) @ half.T + middle
        is_near = _CORNERS[:, 1:2] * sign < 0
        share = np.where(is_near, _NEAR_SHARE, 1 - _NEAR_SHARE) if _IS_CENTRAL[k] else 0.0
        bent[k] = share * inner + (1 - share) * outer
    return bent
