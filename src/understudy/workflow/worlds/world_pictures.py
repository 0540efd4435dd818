"""Pictures of the rows of a world as models take them: drawn in chunks on all cores, answered, and forgotten."""

from collections.abc import Callable, Iterator

import numpy as np

from understudy.deferred.joblib import joblib
from understudy.roles import Floats, Pixels, Table
from understudy.sources.picture_pools import model_inputs
from understudy.sources.worlds import World, render_row

CHUNK = 100
"""Pictures that are drawn at once by one core, and answered at once by a model."""
Advance = Callable[[int], None]
"""Hears how many more pictures are done."""


def pictures_of(world: World, table: Table, edge: int) -> Iterator[Pixels]:
    """Yield pictures of the rows, in their order, some at a time; cores draw side by side."""
    run = joblib.Parallel(n_jobs=-1, prefer="threads", return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")
    yield from run(
        joblib.delayed(_drawn)(world, table.iloc[start : start + CHUNK], edge) for start in range(0, len(table), CHUNK)
    )


def answers_to(
    world: World, table: Table, edge: int, answer: Callable[[Floats], tuple[Floats, ...]], *, advance: Advance
) -> tuple[Floats, ...]:
    """Return what a model answers to every row; `answer` gives one or more arrays for inputs as models take them."""
    parts = []
    for pictures in pictures_of(world, table, edge):
        parts.append(answer(model_inputs(pictures)))
        advance(len(pictures))
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def _drawn(world: World, table: Table, edge: int) -> Pixels:
    return np.stack([render_row(world, table, number, edge=edge).picture for number in range(len(table))])
