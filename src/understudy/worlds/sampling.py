"""Sampling: rows of a world, interventions on one attribute, and clones that differ from their originals in it alone."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Rng, Table
from understudy.schema.record import seed_from
from understudy.worlds.families import checked
from understudy.worlds.laws import CLASS, Given
from understudy.worlds.world import Attribute, World, causal_order

Mode: TypeAlias = Literal["all_parents", "class_only"]
"""What an intervention cuts. "all_parents": the attribute is drawn as in another row, independent of everything in this
one. "class_only": it still depends on its other causes in this row, but carries no more about the class than they do."""
MODES: tuple[Mode, ...] = ("all_parents", "class_only")


def sample(world: World, n: int, seed: int) -> Table:
    """Draw n rows: an id, the class, the label (which noise may change), and every attribute."""
    checked(world)
    if n < 0:
        raise MaterialsError(f"{n} rows were asked for. Ask for 0 or more.")
    rng = np.random.default_rng(seed_from(seed, "world", world.name))
    given = _drawn(world, n, rng)
    labels = _noisy(given.classes, world, rng)
    table = pd.DataFrame({name: given.columns[name] for name in world.names})
    names = np.array(world.classes, dtype=object)
    table.insert(0, "id", [f"{world.name}-{seed}-{number}" for number in range(n)])
    table.insert(1, "original_id", "")
    table.insert(2, "changed", "")
    table.insert(3, CLASS, names[given.classes])
    table.insert(4, "label", names[labels])
    return table


def unbiased(world: World, n: int, seed: int, *, keeps: Sequence[str] = (), mode: Mode = "all_parents") -> Table:
    """Draw rows in which every attribute but the kept ones is drawn under intervention."""
    table = sample(world, n, seed)
    for name in keeps:
        world.attribute(name)
    for name in world.names:
        if name not in keeps:
            table[name] = redrawn(world, table, name, mode=mode, seed=seed)
    return table


def clones(world: World, table: Table, names: Sequence[str], *, seed: int, mode: Mode = "all_parents") -> Table:
    """Copy rows with some attributes drawn under intervention; all else, and the label, stays as it is."""
    if (table["original_id"] != "").any():
        raise MaterialsError("Some of these rows are clones already. Clone the rows that they were made from.")
    if not names:
        raise MaterialsError(f"No attribute was named. Choose from: {', '.join(world.names)}.")
    copies = _copies(table, "+".join(names))
    for name in names:
        # Every cause is read from the originals, so that the order of the names does not matter.
        copies[name] = redrawn(world, table, name, mode=mode, seed=seed)
    return copies


def clones_at(world: World, table: Table, name: str, value: float) -> Table:
    """Copy rows with one attribute set to a value."""
    attribute = world.attribute(name)
    if not attribute.low <= value <= attribute.high:
        raise MaterialsError(
            f"{name!r} cannot be {value:g}. Choose a value from {attribute.low:g} to {attribute.high:g}."
        )
    copies = _copies(table, f"{name}={value:g}")
    copies[name] = value
    return copies


def redrawn(world: World, table: Table, name: str, *, mode: Mode, seed: int) -> Floats:
    """Draw one attribute of every row under intervention."""
    if mode not in MODES:
        raise MaterialsError(f"The mode {mode!r} is unknown. Choose from: {', '.join(MODES)}.")
    attribute = world.attribute(name)
    rng = np.random.default_rng(seed_from(seed, "intervention", world.name, mode, name))
    if mode == "all_parents":
        return _drawn(world, len(table), rng).columns[name]
    given = given_from_table(world, table)
    if CLASS in attribute.law.causes:
        given = given.with_classes(_classes_from_causes(world, given, attribute, rng))
    return attribute.law.draw(given, rng)


def given_from_table(world: World, table: Table) -> Given:
    """Return the rows of a table as laws read them."""
    numbers = {name: number for number, name in enumerate(world.classes)}
    classes = np.array([numbers[str(name)] for name in table[CLASS]], dtype=np.int64)
    return Given(world.classes, classes, {name: table[name].to_numpy(dtype=np.float64) for name in world.names})


def class_probabilities(world: World, given: Given, names: Sequence[str]) -> Floats:
    """Return how likely each class is for each row, judged by some of its attributes and Bayes' rule.

    Attributes must be named together with those that cause them; the result is exact then.
    """
    likely = np.tile(np.array(world.weights), (given.n, 1))
    for number in range(len(world.classes)):
        supposed = given.with_classes(np.full(given.n, number, dtype=np.int64))
        for name in names:
            likely[:, number] *= world.attribute(name).law.density(given.columns[name], supposed)
    total = likely.sum(axis=1, keepdims=True)
    # Values that no class can have, such as those set by hand, say nothing about the class.
    probabilities: Floats = np.where(total > 0, likely / np.where(total > 0, total, 1), np.array(world.weights))
    return probabilities


def _classes_from_causes(world: World, given: Given, attribute: Attribute, rng: Rng) -> Ints:
    """Draw a class that fits the attribute's other causes, whatever the class of the row is."""
    wanted = {name for name in attribute.law.causes if name != CLASS}
    ordered = causal_order(world)
    for earlier in reversed(ordered):
        if earlier.name in wanted:
            wanted |= {name for name in earlier.law.causes if name != CLASS}
    names = [earlier.name for earlier in ordered if earlier.name in wanted]
    shares = np.cumsum(class_probabilities(world, given, names), axis=1)
    drawn: Ints = (rng.uniform(size=(given.n, 1)) > shares[:, :-1]).sum(axis=1)
    return drawn


def _drawn(world: World, n: int, rng: Rng) -> Given:
    classes = rng.choice(len(world.classes), size=n, p=np.array(world.weights))
    given = Given(world.classes, classes.astype(np.int64), {})
    for attribute in causal_order(world):
        given = given.with_column(attribute.name, attribute.law.draw(given, rng))
    return given


def _noisy(classes: Ints, world: World, rng: Rng) -> Ints:
    """Replace some labels by another class."""
    n_classes = len(world.classes)
    if n_classes == 1 or world.label_noise == 0:
        return classes
    steps = rng.integers(1, n_classes, size=len(classes))
    return np.where(rng.uniform(size=len(classes)) < world.label_noise, (classes + steps) % n_classes, classes)


def _copies(table: Table, changed: str) -> Table:
    copies = table.copy()
    copies["original_id"] = table["id"]
    copies["id"] = [f"{original}~{changed}" for original in table["id"]]
    copies["changed"] = changed
    return copies
