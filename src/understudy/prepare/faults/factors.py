"""Faults of factors, conditions, bindings and assignment."""

from collections.abc import Iterator

from understudy.errors import UnknownName
from understudy.prepare.faults.naming import listed, repeated, unknown
from understudy.registry import create
from understudy.roles import HasTarget
from understudy.schema import Condition, Loop, Study, blocks_in
from understudy.schema.flow import Block


def factor_faults(study: Study) -> Iterator[str]:
    """Yield the faults of the design."""
    yield from repeated("Factor", (factor.name for factor in study.factors))
    for factor in study.factors:
        yield from repeated(f"In factor {factor.name!r}, level", factor.levels)
        if factor.scope != "within" and (factor.n_drawn is not None or "order" in factor.model_fields_set):
            yield f"Factor {factor.name!r} is {factor.scope}; only a within-factor has an order or n_drawn."
        if factor.n_drawn is not None and factor.n_drawn > len(factor.levels):
            yield f"Factor {factor.name!r} draws {factor.n_drawn} of its {len(factor.levels)} levels; draw at most all."
        if factor.scope == "within" and not _is_realised(study, factor.name):
            yield (
                f"Within-factor {factor.name!r} never varies: no loop uses it and no block has one of its levels. "
                "Add a loop, give blocks its levels, or remove it."
            )
    yield from _condition_faults(study)
    for number, binding in enumerate(study.bindings, start=1):
        yield from when_faults(study, binding.when, where=f"Binding {number}")
    yield from _target_faults(study)


def _target_faults(study: Study) -> Iterator[str]:
    policy = study.assignment.policy
    try:
        design = create("designs", policy)
    except UnknownName:
        return  # the catalogue reports it
    names = [cell.name for cell in study.cells]
    if isinstance(design, HasTarget) and design.target not in names:
        yield unknown("condition", design.target, names, where=f"The assignment policy {policy.name}")


def when_faults(study: Study, when: dict[str, str | tuple[str, ...]], *, where: str) -> Iterator[str]:
    """Yield the faults of a `when`: factors and levels that do not exist, or that no session has."""
    factors = {factor.name: factor for factor in study.factors}
    for name, wanted in when.items():
        if name not in factors:
            yield unknown("factor", name, factors, where=where)
            continue
        if factors[name].scope in ("item", "question"):
            yield (
                f"{where} depends on {name!r}, which varies over {factors[name].scope}s; only between- and within-factors "
                "decide here."
            )
        for level in wanted if isinstance(wanted, tuple) else (wanted,):
            if level not in factors[name].levels:
                yield unknown(f"level of {name!r}", level, factors[name].levels, where=where)


def _condition_faults(study: Study) -> Iterator[str]:
    yield from repeated("Condition", (condition.name for condition in study.conditions))
    between = {factor.name: factor.levels for factor in study.factors if factor.scope == "between"}
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for condition in study.conditions:
        yield from _one_condition(condition, between)
        levels = tuple(sorted(condition.levels.items()))
        if levels in seen:
            yield f"Conditions {seen[levels]!r} and {condition.name!r} have the same levels; keep one of them."
        seen[levels] = condition.name
    for name, levels_of in between.items():
        used = {cell.levels.get(name) for cell in study.cells}
        idle = [level for level in levels_of if level not in used]
        if idle:
            yield f"Factor {name!r} has levels that no condition uses: {listed(idle)}. Use or remove them."


def _one_condition(condition: Condition, between: dict[str, tuple[str, ...]]) -> Iterator[str]:
    where = f"Condition {condition.name!r}"
    for name, level in condition.levels.items():
        if name not in between:
            yield unknown("between-factor", name, between, where=where)
        elif level not in between[name]:
            yield unknown(f"level of {name!r}", level, between[name], where=where)
    absent = [name for name in between if name not in condition.levels]
    if absent:
        yield f"{where} does not set {listed(absent)}; give a level of every between-factor."


def _is_realised(study: Study, factor: str) -> bool:
    return any(factor in block.levels for block in blocks_in(study.flow)) or _is_looped(study.flow, factor)


def _is_looped(blocks: tuple[Block, ...], factor: str) -> bool:
    return any(
        isinstance(block, Loop) and (block.over == factor or _is_looped(block.blocks, factor)) for block in blocks
    )
