"""Rendered world: pictures of a world with known causes, drawn when they are shown or read from a rendered folder."""

from pathlib import Path

import numpy as np
from pydantic import Field, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import PicturePool, Rng, Sample, Table
from understudy.schema import AssetPath, FolderPath, Record
from understudy.sources.picture_arrays import ArrayPool, block_from_file
from understudy.sources.picture_pools import PoolPart
from understudy.sources.picture_samples import sample_of_pictures
from understudy.sources.worlds import (
    World,
    WorldPool,
    sample,
    table_from_folder,
    unbiased,
    world_from_toml,
    world_named,
)

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
