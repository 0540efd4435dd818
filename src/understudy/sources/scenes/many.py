"""Many pictures: scenes drawn into a folder of shards, on all cores or a cluster, and resumed where it stopped.

The folder holds `pictures-00000.npy` and so on, which picture arrays read picture by picture, masks of the same shape in
`masks/`, the attributes in `attributes.csv`, and `shards.json`, which says what the folder was made from.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.lib.format import write_array

from understudy.deferred.joblib import joblib
from understudy.errors import MaterialsError
from understudy.roles import Pixels
from understudy.schema import Json, canonical_json, digest_of
from understudy.sources.csv_text import frame_text
from understudy.sources.scenes.renderer import EDGE, render
from understudy.sources.scenes.scene import Scene

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
