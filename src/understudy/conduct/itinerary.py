"""Itinerary: the blocks one session goes through, loops opened and conditions applied."""

from typing import NamedTuple

from understudy.schema import Assignment, Block, Levels, Loop, Screen, Stage, matches


class Leg(NamedTuple):
    """One block of a session, under the levels that hold there."""

    block: Screen | Stage
    levels: Levels
    try_number: int = 1

    @property
    def leg_id(self) -> str:
        """The block with the loop levels it stands in, such as `reconstruct[ae]`."""
        return f"{self.block.block_id}{sorted(self.levels.items())}"


def legs_for(flow: tuple[Block, ...], assignment: Assignment) -> list[Leg]:
    """Open the flow for one assignment."""
    return _opened(flow, dict(assignment.levels), assignment)


def _opened(blocks: tuple[Block, ...], levels: Levels, assignment: Assignment) -> list[Leg]:
    legs: list[Leg] = []
    for block in blocks:
        if not matches(block.when, levels):
            continue
        if isinstance(block, Loop):
            for level in assignment.orders[block.over]:
                legs.extend(_opened(block.blocks, {**levels, block.over: level}, assignment))
        else:
            legs.append(Leg(block, {**levels, **block.levels}))
    return legs
