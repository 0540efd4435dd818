"""Creature: all that one picture of a creature depends on, and its scene. Parts can be removed and exchanged."""

import math

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.roles import Floats
from understudy.schema import Record
from understudy.sources.scenes.creatures.anatomy import Block, anchor_of, blocks_of, frame_of, neck, tail_root
from understudy.sources.scenes.creatures.species import EXCHANGEABLE, PART_IDS, PART_KINDS, SPECIES, Anatomy, PartKind
from understudy.sources.scenes.rotations import rotation_about
from understudy.sources.scenes.scene import AreaLight, Backdrop, Camera, Part, Rgb, Scene, Vector

COLOURS: dict[PartKind, Rgb] = {
    "body": (0.10, 0.32, 0.55),
    "head": (0.14, 0.40, 0.62),
    "ears": (0.80, 0.16, 0.12),
    "snout": (0.90, 0.42, 0.05),
    "back": (0.10, 0.55, 0.16),
    "tail": (0.50, 0.10, 0.55),
    "legs": (0.30, 0.13, 0.05),
    "coat": (0.90, 0.72, 0.25),
    "eyes": (0.15, 0.15, 0.15),
}
"""Usual colours of the parts, linear."""


class Creature(Record):
    """The parameters of one picture; angles are in radians."""

    anatomy: Anatomy = SPECIES[0]
    without: tuple[PartKind, ...] = ()
    """Parts that are left out."""
    sizes: dict[PartKind, float] = {}
    """The size of each part, as a multiple of its usual size."""
    colours: dict[PartKind, Rgb] = {}
    """In place of the usual ones."""
    turn: float = 0.35
    """0 looks along the wall, more looks towards the camera."""
    pitch: float = 0.0
    roll: float = 0.0
    bend: float = 0.0
    """How far the head is up and the tail is down."""
    scale: float = Field(default=1.0, gt=0)
    x: float = 0.0
    y: float = 0.0
    camera_up: float = 0.2
    light_side: float = 0.4
    light_up: float = 0.7
    light: float = Field(default=1.0, gt=0)
    background: Rgb = (0.5, 0.55, 0.6)


def without_part(creature: Creature, kind: PartKind) -> Creature:
    """Return a creature that lacks one part and is the same in everything else."""
    _check(kind, PART_KINDS)
    return creature.model_copy(update={"without": tuple(sorted({*creature.without, kind}))})


def with_part_of(creature: Creature, kind: PartKind, other: Anatomy) -> Creature:
    """Return a creature with one part of another species; everything else is the same."""
    _check(kind, EXCHANGEABLE)
    anatomy = creature.anatomy.model_copy(update={kind: getattr(other, kind)})
    return creature.model_copy(update={"anatomy": anatomy})


def _check(kind: str, allowed: tuple[PartKind, ...]) -> None:
    if kind not in allowed:
        raise MaterialsError(f"{kind!r} is not a part to change. Choose from: {', '.join(allowed)}.")


def creature_scene(creature: Creature) -> Scene:
    """Return the scene of one creature."""
    whole = (
        1.15
        * creature.scale
        * rotation_about(2, -creature.turn)
        @ rotation_about(1, creature.roll)
        @ rotation_about(0, creature.pitch)
    )
    shift = np.array([0.0, creature.x, creature.y]) - whole @ np.array([0.0, 0.3, 0.15])
    parts = tuple(
        Part(whole @ part.centre + shift, whole @ part.axes, part.exponent, part.albedo, part.part_id)
        for kind in PART_KINDS
        if kind not in creature.without
        for part in _posed(creature, kind)
    )
    distance = 10.5
    eye = (distance * math.cos(creature.camera_up), 0.0, distance * math.sin(creature.camera_up))
    wall = Backdrop((-7.0, 0.0, 0.0), ((0.0, 16.0, 0.0), (0.0, 0.0, 16.0)), creature.background)
    return Scene(parts, Camera(eye, (0.0, 0.0, 0.0)), _light(creature), wall)


def _posed(creature: Creature, kind: PartKind) -> list[Part]:
    """Return the blocks of a part in their size and colour, after the creature has bent."""
    frame = frame_of(creature.anatomy)
    anchor = anchor_of(kind, frame)
    size = creature.sizes.get(kind, 1.0)
    if kind == "coat":
        # It lies on the body: under a body that has grown, it would disappear.
        size *= creature.sizes.get("body", 1.0)
    colour = creature.colours.get(kind, COLOURS[kind])
    matrix, pivot = np.eye(3), np.zeros(3)
    if kind in ("head", "ears", "snout", "eyes"):
        matrix, pivot = rotation_about(0, creature.bend), np.asarray(neck(frame))
    elif kind == "tail":
        matrix, pivot = rotation_about(0, creature.bend), np.asarray(tail_root(frame))
    return [
        Part(
            matrix @ (anchor + size * (np.asarray(block.centre) - anchor) - pivot) + pivot,
            matrix @ _axes(block) * size,
            block.exponent,
            _shaded(colour, block.shade),
            PART_IDS[kind],
        )
        for block in blocks_of(kind, creature.anatomy)
    ]


def _axes(block: Block) -> Floats:
    axes: Floats = rotation_about(1, block.tilt) @ rotation_about(0, block.lean) @ np.diag(block.radii)
    return axes


def _shaded(colour: Rgb, shade: float) -> Rgb:
    red, green, blue = (min(0.95, shade * share) for share in colour)
    return (red, green, blue)


def _light(creature: Creature) -> AreaLight:
    """Put a round light on the side of the camera, facing the creature."""
    side, up = creature.light_side, creature.light_up
    towards = np.array([math.cos(up) * math.cos(side), math.cos(up) * math.sin(side), math.sin(up)])
    across = np.cross(towards, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    along = np.cross(across, towards)
    # The light leaves on the side of the cross product of the half axes: towards the creature.
    half_axes = (_vector(5.0 * across), _vector(5.0 * along))
    return AreaLight(_vector(15.0 * towards), half_axes, (24.0 * creature.light,) * 3)


def _vector(values: Floats) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)
