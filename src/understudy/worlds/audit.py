"""Audit: what the attributes of a world give away about the class, and what tutorials may show."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError, optional
from understudy.roles import Floats, Table
from understudy.schema import GridFile
from understudy.sources.grids import read_grid_folder
from understudy.worlds.laws import CLASS, Given
from understudy.worlds.sampling import class_probabilities, given_from_table, sample
from understudy.worlds.world import World

N_TRAIN, N_TEST = 10_000, 2_000
N_TREES, DEPTH, RATE = 100, 3, 0.05
_EDGE_SHARE = 0.02


class Audit(NamedTuple):
    """How well boosted trees tell the classes from the attributes."""

    accuracy: float
    n_train: int
    n_test: int
    importances: dict[str, float]
    """Attribute -> its share of what the trees gain; adds up to 1."""


class RangeReport(NamedTuple):
    """Between which values an attribute really lies."""

    name: str
    lowest: float
    highest: float
    bounds: tuple[float, float]
    limits: tuple[float, float]
    """What its law allows."""
    fills_limits: bool
    """Whether the draws come near both ends, so that no part of the range is left out by mistake."""


class Joint(NamedTuple):
    """A joint distribution as counts, ready to be drawn."""

    x_edges: Floats
    y_edges: Floats
    counts: dict[str, Floats]
    """Class -> (columns of x, rows of y)."""


def audit(world: World, seed: int, *, n_train: int = N_TRAIN, n_test: int = N_TEST) -> Audit:
    """Train 100 boosted trees of depth 3 on a table of attributes, and test them on another."""
    ensemble = optional("sklearn.ensemble", extra="sklearn")
    table = sample(world, n_train + n_test, seed)
    inputs, labels = table[[*world.names]].to_numpy(), table["label"].to_numpy(dtype=str)
    if len(set(labels[:n_train])) < 2:
        raise MaterialsError(
            f"Only one class occurs among {n_train} rows of {world.name!r}. Raise `n_train` or the prior."
        )
    trees = ensemble.GradientBoostingClassifier(
        n_estimators=N_TREES, max_depth=DEPTH, learning_rate=RATE, random_state=0
    )
    trees.fit(inputs[:n_train], labels[:n_train])
    accuracy = float(np.mean(trees.predict(inputs[n_train:]) == labels[n_train:]))
    shares = dict(zip(world.names, map(float, trees.feature_importances_), strict=True))
    return Audit(accuracy, n_train, n_test, shares)


def best_accuracy(world: World, table: Table, names: tuple[str, ...]) -> float:
    """Return the share of rows whose class the best rule over some attributes finds; they must come with their causes."""
    given = given_from_table(world, table)
    probabilities = class_probabilities(world, given, names)
    # Ties are guesses: each of the classes that are equally likely counts in part.
    best = np.isclose(probabilities, probabilities.max(axis=1, keepdims=True))
    hits = best[np.arange(given.n), given.classes] / best.sum(axis=1)
    return float(hits.mean())


def ranges(world: World, table: Table) -> list[RangeReport]:
    """Compare the values of a table with the bounds that the world names and the limits of its laws."""
    reports = []
    for attribute in world.attributes:
        values = table[attribute.name].to_numpy(dtype=np.float64)
        low, high = attribute.law.limits
        lowest, highest = float(values.min()), float(values.max())
        slack = _EDGE_SHARE * (high - low)
        fills = lowest <= low + slack and highest >= high - slack
        reports.append(
            RangeReport(attribute.name, lowest, highest, (attribute.low, attribute.high), (low, high), fills)
        )
    return reports


def joint(world: World, table: Table, x: str, y: str, *, n_bins: int = 40) -> Joint:
    """Count rows by two attributes for each class, as Fig. 3 of the paper shows legs with another attribute."""
    edges = [np.linspace(*world.attribute(name).law.limits, n_bins + 1) for name in (x, y)]
    counts = {}
    for name in world.classes:
        rows = table[table[CLASS] == name]
        counts[name] = np.histogram2d(rows[x].to_numpy(), rows[y].to_numpy(), bins=(edges[0], edges[1]))[0]
    return Joint(edges[0], edges[1], counts)


# Tutorial lint: proves that a made-up grid for a tutorial gives nothing of the study away.


def tutorial_faults(tutorial: Path, world: World, relevant: Collection[str], shown: Sequence[Path] = ()) -> list[str]:
    """Say what a tutorial's grid folder gives away about a study.

    `world` is what the study's pictures are drawn from, `relevant` are the attributes its model relies on, and `shown` are
    the grid folders that the study shows.
    """
    grid = read_grid_folder(tutorial)
    return [
        *_relevant_faults(grid, tutorial.name, relevant),
        *_sampler_faults(grid, tutorial.name, world),
        *_file_faults(grid, tutorial, shown),
    ]


def possible_rows(world: World, rows: Floats) -> npt.NDArray[np.bool_]:
    """Say of each row of attributes, in the order that the world declares them, whether the world can draw it."""
    columns = dict(zip(world.names, rows.T, strict=True))
    is_possible = np.zeros(len(rows), dtype=bool)
    for number in range(len(world.classes)):
        given = Given(world.classes, np.full(len(rows), number, dtype=np.int64), columns)
        densities = [attribute.law.density(columns[attribute.name], given) for attribute in world.attributes]
        is_possible |= np.all(np.stack(densities) > 0, axis=0)
    return is_possible


def _relevant_faults(grid: GridFile, name: str, relevant: Collection[str]) -> list[str]:
    if not grid.relevant:
        return [f"The tutorial grid {name!r} does not say what is relevant in it. Name the attributes in `relevant`."]
    shared = [attribute for attribute in grid.relevant if attribute in relevant]
    if not shared:
        return []
    return [
        f"In the tutorial grid {name!r}, {', '.join(shared)} is relevant, as in the study. Let other attributes decide."
    ]


def _sampler_faults(grid: GridFile, name: str, world: World) -> list[str]:
    bare = [cell.file for cell in grid.cells if not set(world.names) <= cell.attributes.keys()]
    if bare:
        return [
            f"The tutorial grid {name!r} does not say what {bare[0]!r} was drawn with, so that nobody can tell whether "
            "the study might show it. Store the attributes of every picture."
        ]
    rows = np.array([[cell.attributes[attribute] for attribute in world.names] for cell in grid.cells])
    drawable = [
        cell.file for cell, is_possible in zip(grid.cells, possible_rows(world, rows), strict=True) if is_possible
    ]
    if not drawable:
        return []
    return [
        f"{len(drawable)} pictures of the tutorial grid {name!r}, such as {drawable[0]!r}, could come from the world "
        f"{world.name!r} of the study. Draw them with values that it cannot draw."
    ]


def _file_faults(grid: GridFile, tutorial: Path, shown: Sequence[Path]) -> list[str]:
    own = {(tutorial / cell.file).read_bytes(): cell.file for cell in grid.cells}
    return [
        f"{own[content]!r} of the tutorial grid {tutorial.name!r} is also {cell.file!r} of {folder.name!r}. Replace it."
        for folder in shown
        for cell in read_grid_folder(folder).cells
        if (content := (folder / cell.file).read_bytes()) in own
    ]
