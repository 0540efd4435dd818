"""What the people of a condition meet: blocks, pages and items."""

from collections.abc import Iterator
from typing import NamedTuple

from understudy.prepare.prepared import Prepared
from understudy.schema import Levels, Loop, Screen, Stage, Study, blocks_in, digest_of, json_from_record
from understudy.schema.flow import Block


class MetBlock(NamedTuple):
    """A block of the flow with the levels that a condition has in it."""

    block: Screen | Stage
    levels: Levels


def met_blocks(study: Study, levels: Levels) -> tuple[MetBlock, ...]:
    """Return the blocks that people with these between-levels can meet, once for each level of a loop."""
    return tuple(_met(study, study.flow, levels))


def _met(study: Study, flow: tuple[Block, ...], levels: Levels) -> Iterator[MetBlock]:
    for block in flow:
        if not all(levels.get(name, _first(wanted)) in _options(wanted) for name, wanted in block.when.items()):
            continue
        if isinstance(block, Loop):
            for level in _levels_of(study, block.over):
                yield from _met(study, block.blocks, {**levels, block.over: level})
        else:
            yield MetBlock(block, {**levels, **block.levels})


def _options(wanted: str | tuple[str, ...]) -> tuple[str, ...]:
    return (wanted,) if isinstance(wanted, str) else wanted


def _first(wanted: str | tuple[str, ...]) -> str:
    return _options(wanted)[0]


def _levels_of(study: Study, factor: str) -> tuple[str, ...]:
    return next((known.levels for known in study.factors if known.name == factor), ())


def trial_ids_of(prepared: Prepared, met: MetBlock) -> tuple[str, ...]:
    """Return the trials of a block under these levels."""
    return tuple(
        trial_id
        for trial_set in prepared.materials.trial_sets
        if trial_set.block_id == met.block.block_id
        and all(met.levels.get(name, level) == level for name, level in trial_set.levels.items())
        for trial_id in trial_set.trial_ids
    )


def page_digests(prepared: Prepared) -> dict[str, str]:
    """Return a digest of each page as a person meets it, its right answers included, whatever its id."""
    digests = {}
    for trial_id, trial in prepared.materials.trials.items():
        page = {name: value for name, value in json_from_record(trial).items() if name != "trial_id"}
        digests[trial_id] = digest_of([page, prepared.key.answers.get(trial_id, {})])
    return digests


def measured_blocks(study: Study, measure: str) -> tuple[str, ...]:
    """Return the blocks whose answers a measure of the study counts."""
    main = tuple(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
    return next((use.blocks or main for use in study.measures if use.name == measure), ())


def planned_blocks(study: Study) -> frozenset[str]:
    """Return the blocks that some outcome of the plan is measured in."""
    return frozenset(block for outcome in study.plan.outcomes for block in measured_blocks(study, outcome.measure))
