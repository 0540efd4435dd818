"""Creatures: generated animals of a dozen species, whose parts can be removed and exchanged."""

from pathlib import Path

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import PicturePool, Rng, Sample, Table
from understudy.schema import FolderPath, Record
from understudy.sources.picture_arrays import ArrayPool, block_from_file
from understudy.sources.picture_pools import PoolPart
from understudy.sources.picture_samples import sample_of_pictures
from understudy.sources.scenes.creatures import SPECIES, CreaturePool, CreatureSet, creature_at, creature_table
from understudy.sources.scenes.creatures.sets import EDGE, SetPart
from understudy.sources.scenes.creatures.species import DEFAULT_SPECIES
from understudy.sources.worlds import table_from_folder


@register("datasets", "creatures")
class Creatures(Record):
    """Draws pictures of creatures. Their species is the attribute `label`, and the form of each part an attribute too.

    Each creature follows from seed, part and its attribute `number`, so its parts can be removed or exchanged later.
    Without a folder, each picture takes some hundredths of a second when it is first looked at, and the extra `scenes`
    is needed; a rendered folder is read without it.
    """

    n: int = Field(default=1200, ge=1, le=100_000)
    """How many creatures there are to draw from, equally many of each species."""
    seed: int = Field(default=0, ge=0, le=2**64 - 1)
    part: SetPart = "test"
    """Creatures to train with, or others to test with."""
    n_species: int = Field(default=DEFAULT_SPECIES, ge=2, le=len(SPECIES))
    edge: int = Field(default=EDGE, ge=16, le=1024)
    """Pixels a side."""
    folder: FolderPath | None = None
    """A folder that these creatures were written to; `edge` is then the folder's."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n of the creatures in random order, without replacement."""
        return self._sample([int(k) for k in rng.permutation(self.n)[:n]])

    def whole(self) -> Sample:
        """Return every creature, in the order of their numbers."""
        return self._sample(list(range(self.n)))

    @property
    def chosen(self) -> CreatureSet:
        """The set that these creatures belong to."""
        return CreatureSet(n=self.n, seed=self.seed, part=self.part, n_species=self.n_species, edge=self.edge)

    def _sample(self, numbers: list[int]) -> Sample:
        folder = None if self.folder is None else Path(self.folder)
        table = creature_table(self.chosen) if folder is None else self._from_folder(folder)
        rows = table.iloc[numbers]
        columns = {str(name): np.asarray(rows[name]).tolist() for name in rows.columns}
        return sample_of_pictures(self._pool(numbers) if folder is None else _stored(folder, numbers), columns)

    def _pool(self, numbers: list[int]) -> PicturePool:
        return CreaturePool(tuple(creature_at(self.chosen, number) for number in numbers), self.edge)

    def _from_folder(self, folder: Path) -> Table:
        table = table_from_folder(folder)
        if len(table) < self.n:
            raise MaterialsError(f"{self.folder!r} has {len(table)} creatures, not {self.n}. Lower `n`.")
        return table


def _stored(folder: Path, numbers: list[int]) -> PicturePool:
    pool = ArrayPool(tuple(block_from_file(path) for path in sorted(folder.glob("pictures-*.npy"))))
    return PoolPart(pool, numbers)
