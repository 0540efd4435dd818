"""The blocks that one session visits, with loops unrolled and conditions applied."""

from typing import NamedTuple

from understudy.schema import Assignment, Block, Levels, Loop, Screen, Stage, matches


class BlockVisit(NamedTuple):
    """One block of a session, with the factor levels that apply there."""

    block: Screen | Stage
    levels: Levels
    try_number: int = 1

    @property
    def visit_id(self) -> str:
        """The block id with the levels of its loops, such as `reconstruct[ae]`."""
        return f"{self.block.block_id}{sorted(self.levels.items())}"


def visits_for(flow: tuple[Block, ...], assignment: Assignment) -> list[BlockVisit]:
    """Return the visits of a session with this assignment, in order."""
    return _unrolled(flow, dict(assignment.levels), assignment)


def _unrolled(blocks: tuple[Block, ...], levels: Levels, assignment: Assignment) -> list[BlockVisit]:
    visits: list[BlockVisit] = []
    for block in blocks:
        if not matches(block.when, levels):
            continue
        if isinstance(block, Loop):
            for level in assignment.orders[block.over]:
                visits.extend(_unrolled(block.blocks, {**levels, block.over: level}, assignment))
        else:
            visits.append(BlockVisit(block, {**levels, **block.levels}))
    return visits
