"""Audit: what the attributes of a world give away about the class, before a single picture is drawn."""

from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.roles import Floats, Table
from understudy.sources.worlds.given import CLASS
from understudy.sources.worlds.sampling import class_probabilities, given_from_table, sample
from understudy.sources.worlds.world import World

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
