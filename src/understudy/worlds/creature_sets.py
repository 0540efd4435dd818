"""Sets of creatures: as many as you like of each species, in random poses, colours and light, with masks of their parts."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from PIL import Image, ImageDraw, ImageFont
from pydantic import Field

from understudy.deferred.joblib import joblib
from understudy.roles import Ints, Pixels, Rng, Table
from understudy.schema import Record, canonical_json
from understudy.schema.record import seed_from
from understudy.sources.picture_pools import stacked
from understudy.worlds.creatures import (
    COLOURS,
    DEFAULT_SPECIES,
    EXCHANGEABLE,
    PART_KINDS,
    SPECIES,
    Creature,
    PartKind,
    creature_scene,
    species_names,
)
from understudy.worlds.pictures import ManyOptions, Progress, render_many
from understudy.worlds.renderer import Rendered, render
from understudy.worlds.scene import Rgb, Scene

SetPart: TypeAlias = Literal["train", "test"]
EDGE = 96
_BODIES: tuple[Rgb, ...] = ((0.05, 0.24, 0.55), (0.06, 0.38, 0.38), (0.36, 0.36, 0.42))
"""Bodies have a mixture of these colours, none of which another part has."""

_SIZES: dict[PartKind, tuple[float, float]] = {"body": (0.95, 1.06), "head": (0.93, 1.07), "coat": (1.0, 1.04)}
"""Narrower than of other parts, which would otherwise vanish in these or hover over them."""


class CreatureSet(Record):
    """Which creatures: each follows from the seed, the part and its number alone, so a longer set begins with a shorter one."""

    n: int = Field(default=1200, ge=1)
    seed: int = Field(default=0, ge=0)
    part: SetPart = "test"
    """The same seed gives other creatures for training than for tests."""
    n_species: int = Field(default=DEFAULT_SPECIES, ge=2, le=len(SPECIES))
    """How many species, from the first; creature k is of species 1 + k modulo this number."""
    edge: int = Field(default=EDGE, ge=8, le=2048)
    """Pixels a side."""


class DrawnCreatures(NamedTuple):
    """Pictures with what is true of them."""

    pictures: Pixels
    """(n, edge, edge, 3)."""
    masks: Pixels
    """(n, edge, edge): ids of parts as in PART_IDS, 0 where the background is."""
    labels: Ints
    """(n,): the index of the species, from 0."""
    creatures: tuple[Creature, ...]


def creature_at(chosen: CreatureSet, number: int) -> Creature:
    """Return the creature with a number, from 0."""
    rng = np.random.default_rng(seed_from(chosen.seed, "creature", chosen.part, number))
    sizes = {kind: float(rng.uniform(*_SIZES.get(kind, (0.88, 1.12)))) for kind in PART_KINDS}
    low_high = {
        "turn": (-0.1, 0.5), "pitch": (-0.22, 0.22), "roll": (-0.12, 0.12), "bend": (-0.3, 0.3), "scale": (0.8, 1.0),
        "x": (-0.25, 0.25), "y": (-0.25, 0.25), "camera_up": (0.05, 0.4), "light_side": (-0.6, 0.6),
        "light_up": (0.45, 0.95), "light": (0.8, 1.25),
    }  # fmt: skip
    drawn = {name: float(rng.uniform(low, high)) for name, (low, high) in low_high.items()}
    red, green, blue = (float(share) for share in rng.uniform(0.15, 0.7, 3))
    return Creature.model_validate({
        "anatomy": SPECIES[number % chosen.n_species], "sizes": sizes, "colours": _colours(rng),
        "background": (red, green, blue), **drawn,
    })  # fmt: skip


def _colours(rng: Rng) -> dict[str, tuple[float, ...]]:
    body = rng.dirichlet((1.0,) * len(_BODIES)) @ np.array(_BODIES)
    usual = {str(kind): np.asarray(colour) for kind, colour in COLOURS.items()} | {"body": body, "head": 1.2 * body}
    return {
        kind: tuple(np.clip(colour * np.exp(rng.normal(0, 0.12, 3)), 0.01, 0.95).tolist())
        for kind, colour in usual.items()
    }


def creatures_of(chosen: CreatureSet) -> tuple[Creature, ...]:
    """Return all creatures of a set."""
    return tuple(creature_at(chosen, number) for number in range(chosen.n))


def draw_creatures(chosen: CreatureSet) -> DrawnCreatures:
    """Draw a set in memory, on all cores."""
    creatures = creatures_of(chosen)
    drawn = render_creatures(creatures, edge=chosen.edge)
    labels = np.arange(chosen.n, dtype=np.int64) % chosen.n_species
    return DrawnCreatures(
        np.stack([each.picture for each in drawn]), np.stack([each.mask for each in drawn]), labels, creatures
    )


def render_creatures(creatures: Sequence[Creature], *, edge: int = EDGE) -> list[Rendered]:
    """Draw creatures on all cores; threads are enough, because the kernels release the interpreter."""
    run = joblib.Parallel(n_jobs=-1, prefer="threads")
    drawn: list[Rendered] = run(joblib.delayed(_rendered)(creature, edge) for creature in creatures)
    return drawn


def _rendered(creature: Creature, edge: int) -> Rendered:
    return render(creature_scene(creature), edge=edge)


def write_creatures(chosen: CreatureSet, out: Path, *, progress: Progress | None = None) -> Path:
    """Draw a set into a folder of shards with masks and `attributes.csv`; resumes where it stopped."""
    how = ManyOptions(
        edge=chosen.edge, keeps_masks=True, per_shard=min(500, chosen.n), source=canonical_json(chosen.model_dump())
    )
    return render_many(
        partial(_scene_at, chosen), chosen.n, out, options=how, attributes=creature_table(chosen), progress=progress
    )


def _scene_at(chosen: CreatureSet, number: int) -> Scene:
    return creature_scene(creature_at(chosen, number))


def creature_table(chosen: CreatureSet) -> Table:
    """Return number, label and the form of every part of each creature."""
    names = species_names(chosen.n_species)
    numbers = np.arange(chosen.n)
    table = pd.DataFrame({"number": numbers, "label": [names[k % chosen.n_species] for k in numbers]})
    for kind in EXCHANGEABLE:
        table[kind] = [getattr(SPECIES[k % chosen.n_species], kind) for k in numbers]
    return table


# Pool of creatures: pictures that are drawn when they are read, and the masks of their parts.

KEPT_BYTES = 64_000_000
"""How much memory pictures may take that were drawn already."""


@dataclass(frozen=True)
class CreaturePool:
    """Creatures as pictures."""

    creatures: tuple[Creature, ...]
    edge: int = EDGE
    _kept: "OrderedDict[int, Rendered]" = field(default_factory=OrderedDict, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.creatures), self.edge, self.edge, 3

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        pictures = (drawn.picture for drawn in self._drawn(indices))
        return stacked(pictures, (len(indices), self.edge, self.edge, 3))

    def masks(self, indices: Sequence[int]) -> Pixels:
        """Return the ids of parts in these pictures, (n, edge, edge)."""
        masks = (drawn.mask for drawn in self._drawn(indices))
        return stacked(masks, (len(indices), self.edge, self.edge))

    def _drawn(self, indices: Sequence[int]) -> list[Rendered]:
        """Draw pictures, or return them again: a study asks for the key, the file and what a model gets of each."""
        wanted = [int(index) for index in indices]
        missing = sorted({*wanted} - {*self._kept})
        fresh = render_creatures([self.creatures[index] for index in missing], edge=self.edge)
        known = {**{k: self._kept[k] for k in wanted if k in self._kept}, **dict(zip(missing, fresh, strict=True))}
        for index in wanted:
            self._kept[index] = known[index]
            self._kept.move_to_end(index)
        # Picture, mask and depth take eight bytes a pixel.
        while len(self._kept) > 1 and len(self._kept) * self.edge**2 * 8 > KEPT_BYTES:
            self._kept.popitem(last=False)
        return [known[index] for index in wanted]


# Sheet of species: one creature of each in the same pose, with its name below.

_GAP, _LABEL = 6, 18
_WHITE, _INK = 255, (40, 40, 40)


def species_sheet(n_species: int = DEFAULT_SPECIES, *, edge: int = 160, n_columns: int = 4) -> Pixels:
    """Return a picture of all species, (height, width, 3)."""
    names = species_names(n_species)
    drawn = render_creatures([Creature(anatomy=anatomy) for anatomy in SPECIES[:n_species]], edge=edge)
    n_rows = -(-n_species // n_columns)
    across, down = edge + _GAP, edge + _LABEL + _GAP
    sheet = np.full((n_rows * down + _GAP, n_columns * across + _GAP, 3), _WHITE, dtype=np.uint8)
    corners = [(_GAP + down * (k // n_columns), _GAP + across * (k % n_columns)) for k in range(n_species)]
    for (top, left), each in zip(corners, drawn, strict=True):
        sheet[top : top + edge, left : left + edge] = each.picture
    labelled = Image.fromarray(sheet)
    pen, font = ImageDraw.Draw(labelled), ImageFont.load_default(13)
    for (top, left), name in zip(corners, names, strict=True):
        pen.text((left + edge / 2, top + edge + _LABEL / 2), name, fill=_INK, font=font, anchor="mm")
    return np.asarray(labelled, dtype=np.uint8)
