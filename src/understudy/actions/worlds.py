"""Worlds for researchers: opened from a name or a file, audited, and drawn as sheets and pictures."""

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy.deferred.joblib import joblib
from understudy.errors import MaterialsError, UnderstudyError
from understudy.inference.onnx_models import reason_of
from understudy.roles import Floats, Pixels, Table
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels
from understudy.worlds.audit import Audit, RangeReport, audit, best_accuracy, ranges
from understudy.worlds.families import checked, world_from_toml, world_named
from understudy.worlds.laws import CLASS
from understudy.worlds.pictures import render_row
from understudy.worlds.sampling import sample
from understudy.worlds.world import World, causal_order

N_ROWS = 20_000
"""Rows by which rules and ranges are judged."""


class Rule(NamedTuple):
    """Some attributes, and how often the best rule over them finds the class."""

    attributes: tuple[str, ...]
    accuracy: float | None
    """None for attributes that a function draws: nobody knows how likely their values are."""


class WorldAudit(NamedTuple):
    """What the attributes of a world give away about its class."""

    trees: Audit
    rules: tuple[Rule, ...]
    """One for each attribute with its causes, and one for all attributes together; the best first."""
    ranges: tuple[RangeReport, ...]


def audited_world(world: World, seed: int, *, n_train: int = 10_000, n_test: int = 2_000) -> WorldAudit:
    """Audit a world."""
    table = sample(world, N_ROWS, seed)
    trees = audit(world, seed, n_train=n_train, n_test=n_test)
    names = [_with_causes(world, name) for name in world.names]
    sets = dict.fromkeys([*names, tuple(world.names)])
    rules = [Rule(attributes, _accuracy(world, table, attributes)) for attributes in sets]
    # Among equally good rules, the one that reads least comes first.
    ordered = sorted(rules, key=lambda rule: (-round(rule.accuracy or 0.0, 4), len(rule.attributes)))
    return WorldAudit(trees, tuple(ordered), tuple(ranges(world, table)))


def _with_causes(world: World, name: str) -> tuple[str, ...]:
    """Return an attribute after all attributes that it depends on, at any distance."""
    wanted = {name}
    ordered = causal_order(world)
    for attribute in reversed(ordered):
        if attribute.name in wanted:
            wanted |= {cause for cause in attribute.law.causes if cause != CLASS}
    return tuple(attribute.name for attribute in ordered if attribute.name in wanted)


def _accuracy(world: World, table: Table, names: tuple[str, ...]) -> float | None:
    try:
        return best_accuracy(world, table, names)
    except MaterialsError:
        return None


# Worlds as a user names them: one of ours, a TOML file, or a Python file that makes one.

USUAL_NAME = "world"


def world_from_source(source: str) -> World:
    """Return a checked world by its name, by a .toml file, or by a .py file with `world`, or FILE.py:NAME."""
    path, _, name = source.partition(":")
    if path.endswith(".py"):
        return _from_python(Path(path), name or USUAL_NAME)
    return world_from_toml(Path(source)) if source.endswith(".toml") else world_named(source)


def _from_python(path: Path, name: str) -> World:
    if not path.is_file():
        raise MaterialsError(f"{str(path)!r} is not a file. Correct the path.")
    try:
        found = runpy.run_path(str(path))
    except UnderstudyError:
        raise
    except Exception as error:  # a file of somebody else may raise anything
        raise MaterialsError(f"{str(path)!r} cannot be run: {reason_of(error)}. Correct the file.") from None
    world = found.get(name)
    if not isinstance(world, World):
        known = [key for key, value in found.items() if isinstance(value, World)]
        raise MaterialsError(
            f"{str(path)!r} has no world {name!r}. "
            + (f"Give {path}:{known[0]}." if known else f"Assign one: {name} = World(...).")
        )
    return checked(world)


# Pictures of the rows of a world as models take them: drawn in chunks on all cores, answered, and forgotten.

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


# Contact sheets: many pictures of a world at a glance.

GAP = 4
_WHITE = 255


def contact_sheet(
    world: World, table: Table, *, n_columns: int, edge: int = 96, advance: Advance = lambda _: None
) -> Pixels:
    """Return the rows of a table as one picture, from left to right and from top to bottom."""
    n_rows = -(-len(table) // n_columns)
    step = edge + GAP
    sheet = np.full((n_rows * step + GAP, n_columns * step + GAP, 3), _WHITE, dtype=np.uint8)
    number = 0
    for pictures in pictures_of(world, table, edge):
        for picture in pictures:
            top, left = (GAP + step * place for place in divmod(number, n_columns))
            sheet[top : top + edge, left : left + edge] = picture
            number += 1
        advance(len(pictures))
    return sheet


def rows_by_class(world: World, n_each: int, seed: int) -> Table:
    """Return as many rows of each class, one class after the other."""
    table = sample(world, max(200, 20 * n_each * len(world.classes)), seed)
    short = [name for name in world.classes if (table["class"] == name).sum() < n_each]
    if short:
        raise MaterialsError(
            f"The class {short[0]!r} is too rare to fill a sheet: fewer than {n_each} among {len(table)} rows. Raise its prior."
        )
    numbers = np.concatenate([np.flatnonzero(table["class"] == name)[:n_each] for name in world.classes])
    return table.iloc[numbers]


def write_sheet(sheet: Pixels, path: Path) -> Path:
    """Write a sheet as a PNG file."""
    if path.suffix != ".png":
        raise MaterialsError(
            f"{path.name} ends in {path.suffix or 'nothing'!r}; write a sheet to a file that ends in .png."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture_from_pixels(sheet).content)
    return path
