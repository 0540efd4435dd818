"""The blocks that one session visits, with loops unrolled and conditions applied."""

from typing import NamedTuple

from understudy.schema import Assignment, Block, Levels, Loop, Screen, Stage, Study, matches


class BlockVisit(NamedTuple):
    """One block of a session, with the factor levels that apply there."""

    block: Screen | Stage
    levels: Levels
    try_number: int = 1
    turn: int = 1
    """Which turn of the innermost loop this is, counted from 1."""
    n_turns: int = 1

    @property
    def visit_id(self) -> str:
        """The block id with the levels of its loops, such as `reconstruct[ae]`."""
        return f"{self.block.block_id}{sorted(self.levels.items())}"


def visits_for(flow: tuple[Block, ...], assignment: Assignment) -> list[BlockVisit]:
    """Return the visits of a session with this assignment, in order."""
    return _unrolled(flow, dict(assignment.levels), assignment, _Turn())


def blocks_by_condition(study: Study) -> dict[str, frozenset[str]]:
    """Return which blocks people of each condition can come to."""
    orders = {factor.name: factor.levels for factor in study.factors}
    found = {}
    for cell in study.cells:
        assignment = Assignment(arrival=0, condition=cell.name, levels=cell.levels, orders=orders, seed=0)
        found[cell.name] = frozenset(visit.block.block_id for visit in visits_for(study.flow, assignment))
    return found


class _Turn(NamedTuple):
    number: int = 1
    n: int = 1


def _unrolled(blocks: tuple[Block, ...], levels: Levels, assignment: Assignment, turn: _Turn) -> list[BlockVisit]:
    visits: list[BlockVisit] = []
    for block in blocks:
        if not matches(block.when, levels):
            continue
        if isinstance(block, Loop):
            order = assignment.orders[block.over]
            for number, level in enumerate(order, start=1):
                inner = {**levels, block.over: level}
                visits.extend(_unrolled(block.blocks, inner, assignment, _Turn(number, len(order))))
        else:
            visits.append(BlockVisit(block, {**levels, **block.levels}, turn=turn.number, n_turns=turn.n))
    return visits
