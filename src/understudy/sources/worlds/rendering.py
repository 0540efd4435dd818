"""Rendering worlds: each row of a table as a scene, drawn when it is looked at or written to a folder."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pandas as pd

from understudy.errors import MaterialsError
from understudy.roles import Pixels, Table
from understudy.schema import digest_of
from understudy.sources.picture_pools import stacked
from understudy.sources.scenes.families import scene_from_params
from understudy.sources.scenes.many import ManyOptions, Progress, render_many
from understudy.sources.scenes.renderer import EDGE, Rendered, render
from understudy.sources.scenes.scene import Scene
from understudy.sources.worlds.world import World, has_function

KEPT_BYTES = 64_000_000
"""How much memory pictures may take that were drawn already."""


def scene_of_row(world: World, table: Table, number: int) -> Scene:
    """Return the scene of one row of a table."""
    row = table.iloc[number]
    params: dict[str, object] = dict(world.settings)
    for name in world.names:
        parameter = world.parameters.get(name, name)
        if parameter:
            params[parameter] = float(row[name])
    return scene_from_params(world.scene, params)


def render_row(world: World, table: Table, number: int, *, edge: int = EDGE) -> Rendered:
    """Draw one row of a table."""
    return render(scene_of_row(world, table, number), edge=edge)


@dataclass(frozen=True)
class WorldPool:
    """The rows of a table as pictures, each drawn when it is read."""

    world: World
    table: Table
    edge: int = EDGE
    _kept: "OrderedDict[int, Pixels]" = field(default_factory=OrderedDict, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.table), self.edge, self.edge, 3

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        pictures = (self._picture(int(index)) for index in indices)
        return stacked(pictures, (len(indices), self.edge, self.edge, 3))

    def _picture(self, index: int) -> Pixels:
        """Draw a picture, or return it again: a study asks for its key, its file and what a model gets of it."""
        if index not in self._kept:
            self._kept[index] = render_row(self.world, self.table, index, edge=self.edge).picture
        self._kept.move_to_end(index)
        while len(self._kept) > 1 and len(self._kept) * self.edge**2 * 3 > KEPT_BYTES:
            self._kept.popitem(last=False)
        return self._kept[index]


def render_table(
    world: World, table: Table, out: Path, *, options: ManyOptions | None = None, progress: Progress | None = None
) -> Path:
    """Draw every row of a table into a folder of shards, with `attributes.csv`; resumes where it stopped."""
    how = replace(options or ManyOptions(), source=_source(world, table))
    return render_many(
        partial(scene_of_row, world, table), len(table), out, options=how, attributes=table, progress=progress
    )


def _source(world: World, table: Table) -> str:
    """Name what the pictures follow from, so that a folder is never resumed with other rows."""
    drawn = f"{world.name} by functions" if has_function(world) else digest_of(world)
    rows = pd.util.hash_pandas_object(table, index=False).to_numpy()
    return digest_of({"world": drawn, "rows": hashlib.sha256(rows.tobytes()).hexdigest()})


def table_from_folder(folder: Path) -> Table:
    """Read the attributes of a rendered folder."""
    path = folder / "attributes.csv"
    if not path.is_file():
        raise MaterialsError(f"{str(folder)!r} has no attributes.csv. Name a folder that a world was rendered to.")
    return pd.read_csv(path, keep_default_na=False)
