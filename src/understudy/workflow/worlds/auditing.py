"""Audit of a world before a picture is drawn: boosted trees, the best simple rules, and what ranges are really filled."""

from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.roles import Table
from understudy.sources.worlds import Audit, RangeReport, World, audit, best_accuracy, ranges, sample
from understudy.sources.worlds.given import CLASS
from understudy.sources.worlds.world import causal_order

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
