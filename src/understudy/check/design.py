"""Faults of factors, conditions, the flow, and names."""

from collections import Counter
from collections.abc import Iterable, Iterator

from understudy.errors import UnknownName
from understudy.registry import create, offers
from understudy.roles import HasTarget, RecordsVoice
from understudy.schema import Condition, Loop, Screen, Stage, Study, blocks_in
from understudy.schema.flow import Block

# Names that must be unique, and names that must exist.


def repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a fault for each name that is used more than once."""
    for name, n in Counter(names).items():
        if n > 1:
            yield f"{what} {name!r} is declared {n} times; give each its own name."


def listed(names: Iterable[str]) -> str:
    """Write names for a sentence."""
    return ", ".join(names) or "none"


def unknown(what: str, name: str, known: Iterable[str], *, where: str) -> str:
    """Say that a name is unknown, and list the known ones."""
    return f"{where} names {name!r}, which is not a known {what}. Known: {listed(known)}."


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


# Faults of the flow: blocks, loops, gates, stops and references.


def flow_faults(study: Study) -> Iterator[str]:
    """Yield the faults of the flow."""
    blocks = blocks_in(study.flow)
    yield from repeated("Block", (*(block.block_id for block in blocks), *_loop_ids(study.flow)))
    yield from _loop_faults(study, study.flow, ())
    yield from _consent_faults(study, blocks)
    if not any(block.purpose == "main" for block in blocks):
        yield "The flow has no main stage, so nothing would be measured. Add a stage with items."
    for index, block in enumerate(blocks):
        where = f"Block {block.block_id!r}"
        yield from when_faults(study, block.when, where=where)
        yield from _level_faults(study, block)
        earlier = [other.block_id for other in blocks[:index]]
        for reference in block.references:
            if reference.block not in earlier:
                yield unknown("earlier block", reference.block, earlier, where=f"{where}, references,")
        if block.gate is not None:
            for name in block.gate.restudy:
                if name not in earlier:
                    yield unknown("earlier block", name, earlier, where=f"{where}, gate.restudy,")
            if block.gate.measure is None and block.gate.at_least > 1:
                yield f"{where} asks for {block.gate.at_least} as a share correct; a share is between 0 and 1."
        if offers("tasks", block.task.name, RecordsVoice):
            yield from _recording_faults(block, blocks[index + 1 :])
        if isinstance(block, Stage):
            yield from _stage_faults(study, block, blocks[:index])


def _recording_faults(block: Screen | Stage, later: tuple[Screen | Stage, ...]) -> Iterator[str]:
    """Yield recorded blocks that do not follow the question; the task reports its other faults itself."""
    try:
        task: RecordsVoice = create("tasks", block.task)
    except UnknownName:
        return
    names = [other.block_id for other in later]
    for name in task.recorded_blocks:
        if name not in names:
            yield unknown("later block", name, names, where=f"Block {block.block_id!r}, blocks,")


def _stage_faults(study: Study, stage: Stage, earlier: tuple[Screen | Stage, ...]) -> Iterator[str]:
    where = f"Stage {stage.block_id!r}"
    if (stage.items is None) == (stage.repeats is None):
        fault = "neither items nor repeats" if stage.items is None else "both items and repeats"
        yield f"{where} has {fault}; give exactly one: an item set, or the earlier stage whose items come again."
    names = [item_set.name for item_set in study.item_sets]
    if stage.items is not None and stage.items not in names:
        yield unknown("item set", stage.items, names, where=where)
    stages = [block.block_id for block in earlier if isinstance(block, Stage)]
    if stage.repeats == stage.block_id:
        yield f"{where} repeats itself, which has no beginning. Name an earlier stage: {listed(stages)}."
    elif stage.repeats is not None and stage.repeats not in stages:
        later = stage.repeats in {block.block_id for block in blocks_in(study.flow)}
        if later:
            yield f"{where} repeats {stage.repeats!r}, which does not come before it. Earlier stages are: {listed(stages)}."
        else:
            yield unknown("earlier stage", stage.repeats, stages, where=where)


def _level_faults(study: Study, block: Screen | Stage) -> Iterator[str]:
    within = {factor.name: factor.levels for factor in study.factors if factor.scope == "within"}
    for name, level in block.levels.items():
        if name not in within:
            yield unknown("within-factor", name, within, where=f"Block {block.block_id!r}, levels,")
        elif level not in within[name]:
            yield unknown(f"level of {name!r}", level, within[name], where=f"Block {block.block_id!r}, levels,")


def _consent_faults(study: Study, blocks: tuple[Screen | Stage, ...]) -> Iterator[str]:
    if study.participants == "models":
        return
    if not any(block.purpose == "consent" for block in blocks):
        yield "The flow does not ask for consent. Start it with a screen of purpose consent."
    elif blocks[0].purpose not in ("consent", "check"):
        yield f"The flow begins with {blocks[0].block_id!r}; consent comes first (a device check may come before it)."


def _loop_faults(study: Study, flow: tuple[Block, ...], outer: tuple[str, ...]) -> Iterator[str]:
    within = [factor.name for factor in study.factors if factor.scope == "within"]
    for block in flow:
        if not isinstance(block, Loop):
            continue
        if block.over not in within:
            yield unknown("within-factor", block.over, within, where=f"Loop {block.block_id!r}")
        if block.over in outer:
            yield f"Loop {block.block_id!r} loops over {block.over!r} inside a loop over it; loop over another factor."
        yield from when_faults(study, block.when, where=f"Loop {block.block_id!r}")
        yield from _loop_faults(study, block.blocks, (*outer, block.over))


def _loop_ids(flow: tuple[Block, ...]) -> Iterator[str]:
    for block in flow:
        if isinstance(block, Loop):
            yield block.block_id
            yield from _loop_ids(block.blocks)
