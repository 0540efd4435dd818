"""Two4Two: the animals of Sixt, Schuessler et al. (2022), eight blocks each, as scenes."""

import math
from typing import Literal, TypeAlias

import numpy as np
from pydantic import Field

from understudy.roles import Floats
from understudy.schema import Record
from understudy.sources.scenes.diverging import coolwarm
from understudy.sources.scenes.rotations import rotation_about
from understudy.sources.scenes.scene import AreaLight, Backdrop, Camera, Part, Rgb, Scene

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
