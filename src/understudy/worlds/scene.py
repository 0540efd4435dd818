"""Scenes: parts, a camera, lights and a backdrop, and rotations in space."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats


def rotation_about(axis: int, angle: float) -> Floats:
    """Return the rotation about an axis of space, by an angle in radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    matrix = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i] = matrix[j, j] = cosine
    matrix[i, j], matrix[j, i] = -sine, sine
    return matrix


# Scene: what the renderer draws. Parts, a camera, one area light and a backdrop; positions are in one right-handed space.

Vector: TypeAlias = tuple[float, float, float]
Rgb: TypeAlias = tuple[float, float, float]
"""Shares of red, green and blue, linear and not as a screen encodes them."""
MAX_PARTS = 255
MIN_EXPONENT, MAX_EXPONENT = 1.0, 32.0
"""Below 1 a part would not be convex, which the search for its surface relies on; above 32 it is a box to the eye."""


@dataclass(frozen=True)
class Part:
    """A superellipsoid: the points centre + axes @ (x, y, z) with |x|^p + |y|^p + |z|^p <= 1."""

    centre: Floats
    axes: Floats
    """Three columns, the half axes. They hold radii and rotation, and shear where they are not perpendicular."""
    exponent: float
    """p: 1 is an octahedron, 2 an ellipsoid, 8 a box with soft edges."""
    albedo: Rgb
    part_id: int
    """The value of the part in the mask, from 1; parts may share it."""


@dataclass(frozen=True)
class Camera:
    """A pinhole camera that looks from one point to another."""

    position: Vector
    target: Vector
    up: Vector = (0.0, 0.0, 1.0)
    half_width: float = 0.36
    """Tangent of half the angle that the picture spans from left to right."""


@dataclass(frozen=True)
class Flat:
    """A flat thing in space."""

    centre: Vector
    half_axes: tuple[Vector, Vector]
    """Its front is on the side of their cross product."""


@dataclass(frozen=True)
class AreaLight(Flat):
    """An ellipse that shines from its front, evenly in all directions."""

    radiance: Rgb


@dataclass(frozen=True)
class Backdrop(Flat):
    """A matt rectangle behind the parts."""

    albedo: Rgb


@dataclass(frozen=True)
class Scene:
    """All that a picture depends on."""

    parts: tuple[Part, ...]
    camera: Camera
    light: AreaLight
    backdrop: Backdrop


def superellipsoid(centre: Vector, radii: Vector, *, exponent: float, albedo: Rgb, part_id: int) -> Part:
    """Return a part whose axes are those of space; turn it with `turned`."""
    return Part(np.asarray(centre, dtype=np.float64), np.diag(radii).astype(np.float64), exponent, albedo, part_id)


def turned(part: Part, rotation: Floats, about: Sequence[float] = (0.0, 0.0, 0.0)) -> Part:
    """Return a part rotated, or sheared, by a 3 x 3 matrix about a point."""
    pivot = np.asarray(about, dtype=np.float64)
    centre = rotation @ (part.centre - pivot) + pivot
    return Part(centre, rotation @ part.axes, part.exponent, part.albedo, part.part_id)


def check_scene(scene: Scene) -> None:
    """Refuse a scene that cannot be drawn, with one sentence for the first fault."""
    if not 1 <= len(scene.parts) <= MAX_PARTS:
        raise MaterialsError(f"The scene has {len(scene.parts)} parts. Give it 1 to {MAX_PARTS}.")
    for number, part in enumerate(scene.parts, start=1):
        if not MIN_EXPONENT <= part.exponent <= MAX_EXPONENT:
            raise MaterialsError(
                f"Part {number} has the exponent {part.exponent:g}. Use {MIN_EXPONENT:g} (octahedron) to "
                f"{MAX_EXPONENT:g} (box); 2 is an ellipsoid."
            )
        if not 1 <= part.part_id <= MAX_PARTS:
            raise MaterialsError(f"Part {number} has the id {part.part_id}. Use 1 to {MAX_PARTS}; 0 is the background.")
        if not np.isfinite(part.axes).all() or not np.isfinite(part.centre).all():
            raise MaterialsError(f"Part {number} has a pose that is not finite. Correct its centre or its axes.")
        if abs(np.linalg.det(part.axes)) < 1e-9:
            raise MaterialsError(f"Part {number} is flat: its axes span no volume. Give it three radii above 0.")
