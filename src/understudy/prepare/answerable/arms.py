"""Identical arms: conditions and levels that change nothing people meet before the outcome is measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from understudy.prepare.answerable.met import MetBlock, met_blocks, page_digests, planned_blocks, trial_ids_of
from understudy.prepare.prepared import Prepared
from understudy.schema import Condition, Factor, Levels, Loop, Study
from understudy.schema.flow import Block

_REMEDY = "Bind a dataset, model or explainer to its levels, or give a block a `when`."


def arm_faults(prepared: Prepared) -> Iterator[str]:
    """Yield the factors whose levels are the same to everybody, and the conditions that are."""
    study = prepared.study
    pages = _Pages(prepared, page_digests(prepared))
    met = {cell.name: pages.before_outcome(cell.levels) for cell in study.cells}
    idle = [factor for factor in study.factors if factor.scope == "between" and _is_idle(factor, study.cells, met)]
    for factor in idle:
        yield (
            f"Factor {factor.name!r} changes nothing: people at {_listed(factor.levels)} see the same pages until the "
            f"outcomes are measured. {_REMEDY}"
        )
    yield from _equal_conditions(study.cells, met, idle)
    for factor in study.factors:
        if factor.scope == "within" and _is_idle_loop(pages, factor):
            yield (
                f"Factor {factor.name!r} changes nothing: its levels come in random order and have the same pages. "
                f"{_REMEDY} To study learning over turns, give the factor a fixed order."
            )


@dataclass(frozen=True)
class _Pages:
    """Pages by what is on them."""

    prepared: Prepared
    digests: dict[str, str]

    def before_outcome(self, levels: Levels) -> tuple[tuple[str, ...], ...]:
        """Return the pages of each block up to the last one that an outcome is measured in."""
        blocks = met_blocks(self.prepared.study, levels)
        planned = planned_blocks(self.prepared.study)
        measured = [number for number, met in enumerate(blocks) if met.block.block_id in planned]
        # Materials hold a whole set; which part of it a level gets is dealt to each session.
        dealt = [item_set.dealt_over for item_set in self.prepared.study.item_sets if item_set.dealt_over]
        own = tuple(levels.get(factor, "") for factor in dealt)
        return (own, *(self.of(met) for met in blocks[: max(measured, default=len(blocks) - 1) + 1]))

    def of(self, met: MetBlock) -> tuple[str, ...]:
        """Return the pages of one block, sorted: sets that are drawn apart may hold the same items in another order."""
        return (met.block.block_id, *sorted(self.digests[trial_id] for trial_id in trial_ids_of(self.prepared, met)))


def _is_idle(factor: Factor, cells: Sequence[Condition], met: dict[str, tuple[tuple[str, ...], ...]]) -> bool:
    """Return whether conditions that differ in this factor only are always the same."""
    pairs = [
        (first, second)
        for number, first in enumerate(cells)
        for second in cells[number + 1 :]
        if _differences(first, second) == {factor.name}
    ]
    return bool(pairs) and all(met[first.name] == met[second.name] for first, second in pairs)


def _equal_conditions(
    cells: Sequence[Condition], met: dict[str, tuple[tuple[str, ...], ...]], idle: list[Factor]
) -> Iterator[str]:
    known = {factor.name for factor in idle}
    groups: dict[tuple[tuple[str, ...], ...], list[Condition]] = {}
    for cell in cells:
        groups.setdefault(met[cell.name], []).append(cell)
    for group in groups.values():
        # Conditions that differ in an idle factor only are told with the factor.
        if len(group) > 1 and not _differences(group[0], group[1]) <= known:
            yield (
                f"Conditions {_listed([cell.name for cell in group])} are identical: people in them see the same pages "
                f"until the outcomes are measured. Make them differ, or keep one."
            )


def _differences(first: Condition, second: Condition) -> set[str]:
    return {name for name in {*first.levels, *second.levels} if first.levels.get(name) != second.levels.get(name)}


def _is_idle_loop(pages: _Pages, factor: Factor) -> bool:
    study = pages.prepared.study
    if factor.order.name != "random_order" or len(factor.levels) < 2 or not _is_looped(study.flow, factor.name):
        return False
    if any(item_set.rotates_over == factor.name for item_set in study.item_sets) or _is_drawn_anew(study):
        return False
    return all(_turns_are_equal(pages, factor, cell.levels) for cell in study.cells)


def _is_drawn_anew(study: Study) -> bool:
    # Items that are drawn again in each turn make turns different, if not their levels.
    return any(getattr(block, "subset", "same") == "anew" for block in _flat(study.flow))


def _turns_are_equal(pages: _Pages, factor: Factor, levels: Levels) -> bool:
    turns: dict[str, list[tuple[str, ...]]] = {level: [] for level in factor.levels}
    for met in met_blocks(pages.prepared.study, levels):
        if factor.name in met.levels:
            turns[met.levels[factor.name]].append(pages.of(met))
    first, *others = turns.values()
    return all(turn == first for turn in others)


def _is_looped(flow: Sequence[Block], factor: str) -> bool:
    return any(isinstance(block, Loop) and block.over == factor for block in _flat(flow))


def _flat(flow: Sequence[Block]) -> Iterator[Block]:
    for block in flow:
        yield block
        if isinstance(block, Loop):
            yield from _flat(block.blocks)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names[:-1]))} and {names[-1]!r}" if len(names) > 1 else repr(names[0])
