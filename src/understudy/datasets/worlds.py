"""Items from worlds and creatures, rendered as they are needed."""

from pathlib import Path

import numpy as np
from pydantic import Field, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import PicturePool, Rng, Sample, Table
from understudy.schema import AssetPath, FolderPath, Record
from understudy.sources.picture_pools import ArrayPool, PoolPart, block_from_file, sample_of_pictures
from understudy.worlds.creature_sets import EDGE, CreaturePool, CreatureSet, SetPart, creature_at, creature_table
from understudy.worlds.creatures import DEFAULT_SPECIES, SPECIES
from understudy.worlds.families import world_from_toml, world_named
from understudy.worlds.pictures import WorldPool, table_from_folder
from understudy.worlds.sampling import sample, unbiased
from understudy.worlds.world import World


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


# Rendered world: pictures of a world with known causes, drawn when they are shown or read from a rendered folder.

_MAX_SEED = 2**31


@register("datasets", "rendered_world")
class RenderedWorld(Record):
    """Draws pictures of a world; the attributes of the world, its class and its label are attributes of the items.

    Without a folder, each picture takes some milliseconds when it is first looked at. The extra `scenes` is needed for
    that; a rendered folder is read without it.
    """

    world: str = "sixt2022"
    """A world that comes with the package."""
    file: AssetPath | None = None
    """In place of `world`: a world of your own, as a TOML file."""
    folder: FolderPath | None = None
    """In place of both: a folder that a world was rendered to. Its pictures are drawn without replacement."""
    edge: int = Field(default=128, ge=16, le=1024)
    """Pixels a side; a rendered folder has its own."""
    is_unbiased: bool = False
    """Draws every attribute but `kept` as if its causes were cut."""
    kept: tuple[str, ...] = ()
    """Attributes that keep their causes in an unbiased draw."""

    @model_validator(mode="after")
    def _one_source(self) -> "RenderedWorld":
        if self.folder is not None and (self.file is not None or self.is_unbiased):
            raise ValueError("a rendered folder has its own pictures. Leave out `file` and `is_unbiased`, or `folder`")
        return self

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures, each a new draw from the world."""
        if self.folder is not None:
            return self._from_folder(Path(self.folder), n, rng)
        world = self._world()
        seed = int(rng.integers(_MAX_SEED))
        table = unbiased(world, n, seed, keeps=self.kept) if self.is_unbiased else sample(world, n, seed)
        return _sample(WorldPool(world, table, self.edge), table)

    def _world(self) -> World:
        return world_named(self.world) if self.file is None else world_from_toml(Path(self.file))

    def _from_folder(self, folder: Path, n: int, rng: Rng) -> Sample:
        table = table_from_folder(folder)
        pool = ArrayPool(tuple(block_from_file(path) for path in sorted(folder.glob("pictures-*.npy"))))
        if not pool.blocks or pool.shape[0] != len(table):
            n_found = pool.shape[0] if pool.blocks else 0
            raise MaterialsError(
                f"{self.folder!r} has {n_found} pictures, but attributes of {len(table)}. Finish rendering it."
            )
        places = rng.permutation(len(table))[:n]
        return _sample(PoolPart(pool, places.tolist()), table.iloc[places])


def _sample(pool: PicturePool, table: Table) -> Sample:
    hidden = ("id", "original_id", "changed")
    columns = {str(name): np.asarray(table[name]).tolist() for name in table.columns if name not in hidden}
    return sample_of_pictures(pool, columns)
