"""Values that measures of sessions can still have after the exclusions."""

import ast
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from understudy.prepare.answerable.met import measured_blocks, met_blocks, trial_ids_of
from understudy.prepare.prepared import Prepared
from understudy.registry import entry
from understudy.schema import Exclusion, MeasureUse, functions_in, names_in, rule_from_text

_FAR = 1e12
_NEAR = 1e-6
_MOST_COMBINATIONS = 50_000


def kept_values(prepared: Prepared) -> Iterator[tuple[tuple[Exclusion, ...], Mapping[str, frozenset[float]]]]:
    """Yield exclusions that read the same measures, with the values that they leave; none if they leave nobody.

    Values that no person can have may be among them, so whatever is missing can really not be kept.
    """
    for exclusions in _connected(prepared.study.exclusions):
        names = sorted({name for exclusion in exclusions for name in names_in(str(exclusion.rule))})
        constants = [value for exclusion in exclusions for value in _constants(str(exclusion.rule))]
        values = [_possible(prepared, name, constants) for name in names]
        if prod(map(len, values)) > _MOST_COMBINATIONS:
            continue
        holds = [rule_from_text(str(exclusion.rule)) for exclusion in exclusions]
        kept = [
            chosen
            for chosen in product(*values)
            if not any(rule(dict(zip(names, chosen, strict=True))) for rule in holds)
        ]
        yield exclusions, {name: frozenset(chosen[at] for chosen in kept) for at, name in enumerate(names)}


def _connected(exclusions: tuple[Exclusion, ...]) -> list[tuple[Exclusion, ...]]:
    """Group the rules that share a measure; rules that ask whether something is missing stay out."""
    groups: list[tuple[frozenset[str], tuple[Exclusion, ...]]] = []
    for exclusion in exclusions:
        if exclusion.rule is None or functions_in(exclusion.rule):
            continue
        names = names_in(exclusion.rule)
        group: tuple[Exclusion, ...] = (exclusion,)
        for known in [known for known in groups if known[0] & names]:
            groups.remove(known)
            names, group = names | known[0], (*known[1], *group)
        groups.append((names, group))
    return [group for _, group in groups]


def _constants(rule: str) -> list[float]:
    nodes = ast.walk(ast.parse(rule, mode="eval"))
    return [
        float(node.value) for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    ]


def _possible(prepared: Prepared, name: str, constants: list[float]) -> list[float]:
    """Return the values that a measure of sessions can have, as far as rules with these constants tell them apart."""
    use = next((use for use in prepared.study.measures if use.name == name), None)
    scale = None if use is None else getattr(entry("measures", use.measure.name), "scale", None)
    if use is not None and scale == "binary":
        n = n_trials(prepared, use)
        if use.summary == "sum" and n:
            return [float(k) for k in range(n + 1)]
        if use.summary in ("min", "max", "first", "last"):
            return [0.0, 1.0]
        if use.summary in ("mean", None):
            steps = n or 20
            return sorted({*(k / steps for k in range(steps + 1)), *(value for value in constants if 0 <= value <= 1)})
    near = {value + step for value in (*constants, 0.0) for step in (-_NEAR, 0.0, _NEAR)}
    return sorted(value for value in {*near, -_FAR, _FAR} if scale not in ("time", "count", "binary") or value >= 0)


def n_trials(prepared: Prepared, use: MeasureUse) -> int:
    """Return how many trials of a person a measure can count, at most."""
    blocks = measured_blocks(prepared.study, use.name)
    return max(
        (
            sum(
                len(trial_ids_of(prepared, met))
                for met in met_blocks(prepared.study, cell.levels)
                if met.block.block_id in blocks
            )
            for cell in prepared.study.cells
        ),
        default=0,
    )
