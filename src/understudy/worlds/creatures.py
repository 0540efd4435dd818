"""Creatures: the anatomy of each species, from blocks."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.roles import Floats
from understudy.schema import Record
from understudy.worlds.scene import AreaLight, Backdrop, Camera, Part, Rgb, Scene, Vector, rotation_about

# Species: which parts a creature has. Species differ in combinations of parts, and no part gives a species away.

PartKind: TypeAlias = Literal["body", "head", "ears", "snout", "back", "tail", "legs", "coat", "eyes"]
PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)
PART_IDS: dict[PartKind, int] = {kind: number for number, kind in enumerate(PART_KINDS, start=1)}
"""The values of the parts in a mask, the same in every species; 0 is the background."""
EXCHANGEABLE: tuple[PartKind, ...] = PART_KINDS[:-1]
"""All kinds that come in several forms. Eyes are the same everywhere, so a good model has no use for them."""


class Anatomy(Record):
    """The form of each part; the names of the fields are kinds of parts."""

    body: Literal["round", "long"]
    head: Literal["ball", "box"]
    ears: Literal["discs", "spikes", "horns"]
    snout: Literal["bill", "trunk"]
    back: Literal["plates", "wings", "humps"]
    tail: Literal["tuft", "club", "curl"]
    legs: Literal["short", "tall"]
    coat: Literal["spots", "belt"]


def _anatomy(words: str) -> Anatomy:
    return Anatomy.model_validate(dict(zip(EXCHANGEABLE, words.split(), strict=True)))


SPECIES: tuple[Anatomy, ...] = tuple(
    _anatomy(words)
    for words in (
        # Kinds:  body head ears snout back tail legs coat. The two species of a pair differ in one part only.
        "round ball discs  bill  plates tuft short spots",
        "round ball horns  bill  plates tuft short spots",
        "round ball spikes trunk humps  club tall  belt",
        "round ball spikes trunk humps  curl tall  belt",
        "long  ball discs  trunk plates club short belt",
        "long  ball discs  trunk wings  club short belt",
        "long  box  horns  bill  humps  tuft tall  spots",
        "long  box  horns  trunk humps  tuft tall  spots",
        "round box  spikes bill  wings  curl tall  belt",
        "round box  spikes bill  wings  curl short belt",
        "long  box  discs  bill  plates curl tall  spots",
        "long  box  discs  bill  plates curl tall  belt",
        "round ball horns  trunk wings  club short spots",
        "round box  horns  trunk wings  club short spots",
        "round ball spikes bill  humps  tuft tall  spots",
        "long  ball spikes bill  humps  tuft tall  spots",
    )
)
"""In the order of their numbers, from 1."""
MIN_SPECIES, DEFAULT_SPECIES = 2, 12


def species_names(n_species: int = DEFAULT_SPECIES) -> tuple[str, ...]:
    """Return the labels of the first species, which say nothing about them."""
    if not MIN_SPECIES <= n_species <= len(SPECIES):
        raise MaterialsError(f"{n_species} species were asked for. There are {MIN_SPECIES} to {len(SPECIES)}.")
    return tuple(f"species {number}" for number in range(1, n_species + 1))


class Block(NamedTuple):
    """A superellipsoid before it has a colour and a pose."""

    centre: Vector
    radii: Vector
    exponent: float = 2.0
    lean: float = 0.0
    """Turns it about the first axis, from the second to the third; in radians."""
    tilt: float = 0.0
    """Turns it about the second axis; in radians."""
    shade: float = 1.0
    """Its colour, as a multiple of the colour of the part."""


class Frame(NamedTuple):
    """Where parts are attached: the half width, length and height of the body, and the centre of the head."""

    width: float
    length: float
    height: float
    head: tuple[float, float]
    """Along the second and third axis."""


_RADII = {"round": (0.98, 1.12, 0.98), "long": (0.74, 1.62, 0.7)}
_HEAD = 0.7
_WHITE, _BLACK = 6.0, 0.03
"""Shades of the eyes, whose colour is a grey."""


def frame_of(anatomy: Anatomy) -> Frame:
    """Return where the parts of a creature are attached."""
    width, length, height = _RADII[anatomy.body]
    return Frame(width, length, height, (length * 0.78 + 0.5, height * 0.55 + 0.55))


def anchor_of(kind: PartKind, frame: Frame) -> Floats:
    """Return the point that a part grows from; its size is relative to it."""
    ahead, up = frame.head
    anchors: Mapping[PartKind, Vector] = {
        "ears": (0.0, ahead - 0.05, up + 0.5 * _HEAD),
        "snout": (0.0, ahead + 0.7 * _HEAD, up - 0.2),
        "eyes": (0.0, ahead, up),
        "head": (0.0, ahead, up),
        "back": (0.0, 0.0, 0.8 * frame.height),
        "tail": tail_root(frame),
        "legs": (0.0, 0.0, -0.6 * frame.height),
    }
    return np.array(anchors.get(kind, (0.0, 0.0, 0.0)))


def neck(frame: Frame) -> Vector:
    """Return the point about which the head nods."""
    return (0.0, frame.length * 0.7, frame.height * 0.4)


def tail_root(frame: Frame) -> Vector:
    """Return the point about which the tail swings."""
    return (0.0, -0.88 * frame.length, 0.25 * frame.height)


def blocks_of(kind: PartKind, anatomy: Anatomy) -> tuple[Block, ...]:
    """Return the blocks of one part."""
    frame = frame_of(anatomy)
    if kind == "eyes":
        return _eyes(frame)
    return _FORMS[kind, getattr(anatomy, kind)](frame)


def _both(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Add the mirror image of each block on the other side."""
    return tuple(
        block._replace(centre=(side * block.centre[0], *block.centre[1:]), tilt=side * block.tilt)
        for side in (1.0, -1.0)
        for block in blocks
    )


def _chain(points: Sequence[tuple[float, float]], radii: Sequence[float], x: float = 0.0) -> tuple[Block, ...]:
    """Return long blocks from point to point, which overlap enough to look like one thing.

    Few long blocks and not many balls: the time of a picture grows with the square of their number.
    """
    return tuple(
        Block(
            (x, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2),
            (radius, math.dist(start, end) / 2 + 0.8 * radius, radius),
            2.3,
            lean=math.atan2(end[1] - start[1], end[0] - start[0]),
        )
        for start, end, radius in zip(points[:-1], points[1:], radii, strict=True)
    )


def _body(frame: Frame) -> tuple[Block, ...]:
    return (Block((0.0, 0.0, 0.0), (frame.width, frame.length, frame.height), 2.3),)


def _head(exponent: float) -> Callable[[Frame], tuple[Block, ...]]:
    def blocks(frame: Frame) -> tuple[Block, ...]:
        radius = _HEAD if exponent < 3 else 0.88 * _HEAD
        return (Block((0.0, *frame.head), (0.95 * radius, radius, radius), exponent),)

    return blocks


def _eyes(frame: Frame) -> tuple[Block, ...]:
    ahead, up = frame.head
    white = Block((0.5, ahead + 0.28, up + 0.2), (0.2, 0.22, 0.24), shade=_WHITE)
    pupil = Block((0.64, ahead + 0.36, up + 0.2), (0.1, 0.11, 0.13), shade=_BLACK)
    return _both((white, pupil))


def _discs(frame: Frame) -> tuple[Block, ...]:
    ahead, up = frame.head
    return _both((Block((0.42, ahead - 0.22, up + 0.72), (0.12, 0.46, 0.46), tilt=0.25),))


def _spikes(frame: Frame) -> tuple[Block, ...]:
    ahead, up = frame.head
    return _both((Block((0.36, ahead - 0.2, up + 0.95), (0.15, 0.21, 0.72), 1.3, lean=0.25, tilt=0.15),))


def _horns(frame: Frame) -> tuple[Block, ...]:
    ahead, up = frame.head
    points = [(ahead + 0.05, up + 0.5), (ahead + 0.12, up + 0.85), (ahead + 0.36, up + 1.15), (ahead + 0.72, up + 1.22)]
    return _both(_chain(points, [0.17, 0.15, 0.12], x=0.36))


def _bill(frame: Frame) -> tuple[Block, ...]:
    ahead, up = frame.head
    upper = Block((0.0, ahead + 0.86, up - 0.1), (0.44, 0.55, 0.15), 2.5, lean=0.1)
    lower = Block((0.0, ahead + 0.78, up - 0.34), (0.36, 0.45, 0.11), 2.5, lean=-0.12, shade=0.7)
    return (upper, lower)


def _trunk(frame: Frame) -> tuple[Block, ...]:
    ahead, up = frame.head
    points = [(0.5, -0.15), (0.86, -0.45), (0.97, -0.9), (1.32, -1.15)]
    return _chain([(ahead + y, up + z) for y, z in points], [0.28, 0.24, 0.2])


def _plates(frame: Frame) -> tuple[Block, ...]:
    reach = 0.72 * frame.length
    heights = (0.36, 0.5, 0.5, 0.36)
    places = np.linspace(-1.0, 0.55, 4)
    return tuple(
        Block((0.0, reach * s, frame.height * math.sqrt(1 - (0.7 * s) ** 2) + 0.12), (0.11, 0.3, height), 1.35)
        for s, height in zip(places.tolist(), heights, strict=True)
    )


def _wings(frame: Frame) -> tuple[Block, ...]:
    feathers = [
        Block((0.6 * frame.width, ahead, frame.height + up), (0.09, reach, 0.34), 2.2, lean=lean, tilt=0.45)
        for ahead, up, reach, lean in ((-0.2, 0.62, 0.95, -1.0), (-0.5, 0.3, 0.85, -0.5))
    ]
    return _both(feathers)


def _humps(frame: Frame) -> tuple[Block, ...]:
    reach = 0.42 * frame.length
    return tuple(Block((0.0, s * reach - 0.12, 0.88 * frame.height + 0.1), (0.4, 0.4, 0.55), 2.2) for s in (-1.0, 1.0))


def _tuft(frame: Frame) -> tuple[Block, ...]:
    _, y, z = tail_root(frame)
    rod = _chain([(y + 0.1, z - 0.1), (y - 0.85, z + 0.9)], [0.1])
    return (*rod, Block((0.0, y - 0.95, z + 1.05), (0.34, 0.34, 0.4)))


def _club(frame: Frame) -> tuple[Block, ...]:
    _, y, z = tail_root(frame)
    rod = _chain([(y + 0.1, z), (y - 0.75, z)], [0.24])
    return (*rod, Block((0.0, y - 1.05, z + 0.02), (0.4, 0.4, 0.4), 6.0, lean=0.5))


def _curl(frame: Frame) -> tuple[Block, ...]:
    _, y, z = tail_root(frame)
    angles = np.linspace(-0.5 * math.pi, 1.3 * math.pi, 7).tolist()
    radii = np.linspace(0.58, 0.3, 7).tolist()
    points = [(y - 0.5 - r * math.cos(t), z + 0.55 + r * math.sin(t)) for t, r in zip(angles, radii, strict=True)]
    return _chain([(y + 0.1, z + 0.05), *points], [0.15] * 7)


def _legs(length: float, radius: float) -> Callable[[Frame], tuple[Block, ...]]:
    def blocks(frame: Frame) -> tuple[Block, ...]:
        top, x = -0.62 * frame.height, 0.55 * frame.width
        places = [s * frame.length for s in (-0.55, 0.5)]
        legs = [Block((x, y, top - length / 2), (radius, radius, length / 2 + 0.2), 4.0) for y in places]
        feet = [
            Block((x, y + 0.1, top - length - 0.12), (radius + 0.1, radius + 0.18, 0.17), 2.6, shade=0.6)
            for y in places
        ]
        return _both((*legs, *feet))

    return blocks


def _spots(frame: Frame) -> tuple[Block, ...]:
    made: list[Block] = []
    # On the side of the camera only: nobody would see the others.
    for y, turn, size in (
        (-0.66, 0.1, 0.2),
        (-0.3, 0.6, 0.25),
        (-0.2, -0.25, 0.27),
        (0.22, 0.3, 0.25),
        (0.45, -0.4, 0.21),
    ):
        ring = math.sqrt(1 - y**2) * 0.97
        x, z = frame.width * ring * math.cos(turn), frame.height * ring * math.sin(turn)
        made.append(Block((x, y * frame.length, z), (size,) * 3))
    return tuple(made)


def _belt(frame: Frame) -> tuple[Block, ...]:
    return tuple(
        Block((0.0, s * frame.length, 0.0), (ring * frame.width, 0.42, ring * frame.height), 2.3)
        for s, ring in ((-0.42, 0.985), (0.18, 1.055))
    )


_FORMS: Mapping[tuple[PartKind, str], Callable[[Frame], tuple[Block, ...]]] = {
    ("body", "round"): _body,
    ("body", "long"): _body,
    ("head", "ball"): _head(2.1),
    ("head", "box"): _head(7.0),
    ("ears", "discs"): _discs,
    ("ears", "spikes"): _spikes,
    ("ears", "horns"): _horns,
    ("snout", "bill"): _bill,
    ("snout", "trunk"): _trunk,
    ("back", "plates"): _plates,
    ("back", "wings"): _wings,
    ("back", "humps"): _humps,
    ("tail", "tuft"): _tuft,
    ("tail", "club"): _club,
    ("tail", "curl"): _curl,
    ("legs", "short"): _legs(0.35, 0.3),
    ("legs", "tall"): _legs(1.05, 0.17),
    ("coat", "spots"): _spots,
    ("coat", "belt"): _belt,
}


# Creature: all that one picture of a creature depends on, and its scene. Parts can be removed and exchanged.

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
