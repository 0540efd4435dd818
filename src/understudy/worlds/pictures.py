"""Pictures of worlds: single rows, tables, moved attributes, and many at once.

The folder holds `pictures-00000.npy` and so on, which picture arrays read picture by picture, masks of the same shape in
`masks/`, the attributes in `attributes.csv`, and `shards.json`, which says what the folder was made from.
"""

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.lib.format import write_array

from understudy.deferred.joblib import joblib
from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Pixels, Table
from understudy.schema import Json, canonical_json, digest_of
from understudy.sources.csv_text import frame_text
from understudy.sources.logit_columns import N_COLUMNS
from understudy.sources.picture_pools import stacked
from understudy.worlds.families import scene_from_params
from understudy.worlds.renderer import EDGE, Rendered, render
from understudy.worlds.scene import Scene
from understudy.worlds.world import World, has_function

SceneMaker = Callable[[int], Scene]
"""Returns the scene with a number; on a cluster it travels, so it must be a function of a module or a partial of one."""
Progress = Callable[[int, int], None]
"""Hears how many pictures are done, and how many there will be."""
SHARD = 500
ATTRIBUTES, STAMP, MASKS = "attributes.csv", "shards.json", "masks"


@dataclass(frozen=True)
class ManyOptions:
    """How pictures are drawn; none of it but the edge changes a byte of a picture."""

    edge: int = EDGE
    per_shard: int = SHARD
    n_workers: int = -1
    """Processes or, on one machine, threads at once; -1 is one for each core."""
    keeps_masks: bool = False
    source: str = ""
    """What the scenes follow from, such as the digest of a world and its seed: a folder holds one source only."""


class _Shard(NamedTuple):
    """Neighbouring pictures, which are kept in one file."""

    start: int
    pictures: Pixels
    masks: Pixels | None


def render_many(
    scene_of: SceneMaker,
    n: int,
    out: Path,
    *,
    options: ManyOptions | None = None,
    attributes: pd.DataFrame | None = None,
    progress: Progress | None = None,
) -> Path:
    """Draw scenes 0 to n - 1 into a folder and return it; shards that are there already are kept."""
    how = options or ManyOptions()
    _claim(out, how, n)
    if attributes is not None:
        _write(out / ATTRIBUTES, frame_text(attributes).encode())
    bounds = [(start, min(start + how.per_shard, n)) for start in range(0, n, how.per_shard)]
    missing = [(start, stop) for start, stop in bounds if not _shard(out, start, how).exists()]
    done = n - sum(stop - start for start, stop in missing)
    if progress is not None:
        progress(done, n)
    for shard in _drawn(partial(_draw, scene_of, how), missing, how.n_workers):
        _keep(shard, out, how)
        done += len(shard.pictures)
        if progress is not None:
            progress(done, n)
    return out


def _drawn(draw: Callable[[int, int], _Shard], missing: Sequence[tuple[int, int]], n_workers: int) -> Iterator[_Shard]:
    """Draw shards side by side; threads are enough on one machine, because the kernels release the interpreter."""
    run = joblib.Parallel(
        n_jobs=n_workers, prefer="threads", return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    yield from run(joblib.delayed(draw)(start, stop) for start, stop in missing)


def _draw(scene_of: SceneMaker, how: ManyOptions, start: int, stop: int) -> _Shard:
    pictures = np.empty((stop - start, how.edge, how.edge, 3), dtype=np.uint8)
    masks = np.empty((stop - start, how.edge, how.edge), dtype=np.uint8) if how.keeps_masks else None
    for position, number in enumerate(range(start, stop)):
        drawn = render(scene_of(number), edge=how.edge)
        pictures[position] = drawn.picture
        if masks is not None:
            masks[position] = drawn.mask
    return _Shard(start, pictures, masks)


def _keep(shard: _Shard, out: Path, how: ManyOptions) -> None:
    """Write a shard here and not where it was drawn: the machines of a cluster need not share a disk."""
    path = _shard(out, shard.start, how)
    if shard.masks is not None:
        _write_array(out / MASKS / path.name, shard.masks)
    # Last, because the pictures say that the shard is complete.
    _write_array(path, shard.pictures)


def _shard(out: Path, start: int, how: ManyOptions) -> Path:
    return out / f"pictures-{start // how.per_shard:05d}.npy"


def _claim(out: Path, how: ManyOptions, n: int) -> None:
    """Make the folder, or refuse one that holds pictures of something else."""
    if n < 1 or how.per_shard < 1:
        raise MaterialsError(f"{n} pictures in shards of {how.per_shard} were asked for. Both must be at least 1.")
    facts: Json = {
        "edge": how.edge,
        "keeps_masks": how.keeps_masks,
        "n": n,
        "per_shard": how.per_shard,
        "source": how.source,
    }
    stamp = out / STAMP
    if stamp.exists() and digest_of(json.loads(stamp.read_text(encoding="utf-8"))) != digest_of(facts):
        raise MaterialsError(
            f"{str(out)!r} holds other pictures ({STAMP} says which). Choose another folder, or delete it."
        )
    (out / MASKS if how.keeps_masks else out).mkdir(parents=True, exist_ok=True)
    _write(stamp, canonical_json(facts).encode())


def _write_array(path: Path, values: Pixels) -> None:
    """Write a whole file or none: a half-written shard would count as done."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with part.open("wb") as stream:
        write_array(stream, values, version=(1, 0))
    part.replace(path)


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)


# Rendering worlds: each row of a table as a scene, drawn when it is looked at or written to a folder.

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


# Moving attributes: the ideal counterfactual of a picture, drawn again with some attributes changed.
#
# What a counterfactual explainer should show if it were perfect: the logit reaches its target because relevant attributes
# moved, and everything else is the same. The attributes move along the direction in which the model's logits rise, by
# linear regression on many pictures.

N_ALONG = 25
"""Pictures drawn along the whole direction, before the steps are refined."""
N_REFINED = 12
N_TRIED = 6
"""Starting pictures that are tried for a row before it is given up."""
_REACH = 4.0
"""How many times as far as the first attribute meets its limit the others may still move."""


@dataclass(frozen=True)
class Staging:
    """What draws pictures, and what judges them."""

    world: World
    edge: int
    logits_of: Callable[[Pixels], Floats]
    """Pictures (picture, row, column, channel) -> the model's logits."""
    moved: tuple[str, ...]
    """The attributes that may change."""
    tolerance: float = 0.1
    """How far a logit may be from its target, where the attributes cannot bring it nearer."""

    def drawn(self, rows: Floats) -> Pixels:
        """Draw rows of attributes, in the order that the world declares them."""
        table = pd.DataFrame(rows, columns=list(self.world.names))
        return np.stack([render_row(self.world, table, number, edge=self.edge).picture for number in range(len(table))])


class MovedRow(NamedTuple):
    """Pictures of one starting picture, one for each target."""

    start: int
    attributes: Floats
    """Target, attribute."""
    pictures: Pixels
    logits: Floats


def attribute_rows(world: World, table: Table) -> Floats:
    """Return the attributes of a table as numbers, in the order that the world declares them."""
    missing = [name for name in world.names if name not in table]
    if missing:
        raise MaterialsError(
            f"The pictures lack the attributes {', '.join(missing)} of the world {world.name!r}. Bind the dataset "
            "rendered_world with the same world."
        )
    rows: Floats = table[list(world.names)].to_numpy(dtype=np.float64)
    return rows


def direction_of(staging: Staging, rows: Floats, logits: Floats) -> Floats:
    """Return how all attributes change along the direction: 0 for those that stay."""
    direction = np.zeros(len(staging.world.names))
    places = [staging.world.names.index(staging.world.attribute(name).name) for name in staging.moved]
    values = rows[:, places]
    spread = values.std(axis=0)
    if not (spread > 0).all() or np.ptp(logits) == 0:
        raise MaterialsError(
            f"The model's logits do not change with {', '.join(staging.moved)}, so there are no counterfactuals. Name "
            "other attributes in `moved`, or more pictures."
        )
    # In units of each attribute's spread, so that none counts more because of its unit.
    inputs = np.column_stack([(values - values.mean(axis=0)) / spread, np.ones(len(values))])
    slopes = np.linalg.lstsq(inputs, logits, rcond=None)[0][:-1]
    direction[places] = slopes * spread
    return direction


def moved_rows(
    staging: Staging, rows: Floats, candidates: Sequence[Ints], *, direction: Floats, targets: Sequence[float], n: int
) -> list[MovedRow]:
    """Return n rows whose pictures reach every target, starting from the groups of candidates in turn."""
    found: list[MovedRow] = []
    left = [list(map(int, group)) for group in candidates]
    for number in range(n):
        group = left[number % N_COLUMNS]
        for _ in range(min(N_TRIED, len(group))):
            row = _moved(staging, rows, group.pop(0), direction, np.array(targets))
            if row is not None:
                found.append(row)
                break
    if len(found) < n:
        raise MaterialsError(
            f"Only {len(found)} of {n} rows reach logits from {min(targets):.2f} to {max(targets):.2f} by moving "
            f"{', '.join(staging.moved)}. Name more attributes in `moved`, or a lower percentile."
        )
    return found


def _moved(staging: Staging, rows: Floats, start: int, direction: Floats, targets: Floats) -> MovedRow | None:
    """Search the step to each target; None if some target is beyond what the attributes can reach."""
    low, high = (np.array(ends) for ends in zip(*(a.law.limits for a in staging.world.attributes), strict=True))

    def at(steps: Floats) -> Floats:
        clipped: Floats = np.clip(rows[start] + steps[:, None] * direction, low, high)
        # What does not move stays exactly as it is, even where it was set by hand outside the limits.
        return np.where(direction == 0, rows[start], clipped)

    moves = direction != 0
    lengths = (high - low)[moves] / np.abs(direction[moves])
    reach = min(float(lengths.max()), _REACH * float(lengths.min()))
    steps = np.linspace(-reach, reach, N_ALONG)
    along = staging.logits_of(staging.drawn(at(steps)))
    brackets = [_bracket(steps, along - target, staging.tolerance) for target in targets]
    if any(bracket is None for bracket in brackets):
        return None
    lower, upper = (np.array(ends) for ends in zip(*(b for b in brackets if b is not None), strict=True))
    for _ in range(N_REFINED):
        middle = (lower + upper) / 2
        is_short = staging.logits_of(staging.drawn(at(middle))) < targets
        lower, upper = np.where(is_short, middle, lower), np.where(is_short, upper, middle)
    attributes = at(upper)
    pictures = staging.drawn(attributes)
    return MovedRow(start, attributes, pictures, staging.logits_of(pictures))


def _bracket(steps: Floats, over: Floats, tolerance: float) -> tuple[float, float] | None:
    """Return the two steps, nearest to the start, between which the logit rises past the target.

    Where it never does, as at the end of what a saturated model says, the step that comes nearest may be near enough.
    """
    rises = np.flatnonzero((over[:-1] < 0) & (over[1:] >= 0))
    if len(rises):
        nearest = rises[np.argmin(np.abs(steps[rises] + steps[rises + 1]))]
        return float(steps[nearest]), float(steps[nearest + 1])
    closest = int(np.argmin(np.abs(over)))
    return (float(steps[closest]),) * 2 if abs(over[closest]) <= tolerance else None
