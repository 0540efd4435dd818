"""Itinerary: the blocks one session goes through, loops opened and conditions applied."""

from typing import NamedTuple

from understudy.schema import Assignment, Block, Levels, Loop, Screen, Stage, matches


class BlockVisit(NamedTuple):
    """One block of a session, under the levels that hold there."""

    block: Screen | Stage
    levels: Levels
    try_number: int = 1

    @property
    def visit_id(self) -> str:
        """The block with the loop levels it stands in, such as `reconstruct[ae]`."""
        return f"{self.block.block_id}{sorted(self.levels.items())}"


def visits_for(flow: tuple[Block, ...], assignment: Assignment) -> list[BlockVisit]:
    """Open the flow for one assignment."""
    return _opened(flow, dict(assignment.levels), assignment)


def _opened(blocks: tuple[Block, ...], levels: Levels, assignment: Assignment) -> list[BlockVisit]:
    visits: list[BlockVisit] = []
    for block in blocks:
        if not matches(block.when, levels):
            continue
        if isinstance(block, Loop):
            for level in assignment.orders[block.over]:
                visits.extend(_opened(block.blocks, {**levels, block.over: level}, assignment))
        else:
            visits.append(BlockVisit(block, {**levels, **block.levels}))
    return visits
