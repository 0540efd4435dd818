"""Faults of the flow: blocks, loops, gates, stops and references."""

from collections.abc import Iterator

from understudy.errors import UnknownName
from understudy.prepare.faults.factors import when_faults
from understudy.prepare.faults.naming import listed, repeated, unknown
from understudy.registry import create, offers
from understudy.roles import RecordsVoice
from understudy.schema import Block, Loop, Screen, Stage, Study, blocks_in


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
