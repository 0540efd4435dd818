"""Visits: the blocks that a session meets, with gates, loops and balanced orders."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from understudy.conduct.scoring import StepEvents
from understudy.roles import Rng
from understudy.schema import (
    Assignment,
    Block,
    Json,
    Levels,
    Loop,
    Reference,
    ResponseGiven,
    Screen,
    Stage,
    Study,
    matches,
)


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


# Gating: what people are told about a gate, so that a failed try teaches something.


class GateState(NamedTuple):
    """How many tries there are, this one included, and what was wrong in the one before."""

    tries_left: int | None
    """None when there is no limit."""
    wrong: tuple[str, ...]
    """Questions answered wrongly last time; empty on the first try, and for stages of several pages."""


def references_at(visit: BlockVisit, blocks: Mapping[str, Screen | Stage]) -> tuple[Reference, ...]:
    """Return the earlier material of a visit; before a gate, also the pages that a failed try would bring back."""
    block = visit.block
    kept = {reference.block for reference in block.references}
    again = block.gate.restudy if block.gate is not None else ()
    reread = (name for name in again if name not in kept and isinstance(blocks[name], Screen))
    return (*block.references, *(Reference(block=name) for name in reread))


def gate_state(visit: BlockVisit, missed: Mapping[str, tuple[str, ...]]) -> GateState | None:
    """Return what the person at this visit has to know about its gate."""
    gate = visit.block.gate
    if gate is None:
        return None
    tries_left = None if gate.tries == "unlimited" else max(1, gate.tries - visit.try_number + 1)
    return GateState(tries_left, missed.get(visit.block.block_id, ()) if visit.try_number > 1 else ())


def missed_questions(steps: Sequence[StepEvents], answers: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the questions of a page that were answered wrongly; none for several pages, which come with other items."""
    if len(steps) != 1:
        return ()
    return tuple(
        question_id
        for event in steps[0].events
        if isinstance(event, ResponseGiven)
        for question_id, right in answers.get(event.trial_id, {}).items()
        if event.response.get(question_id) != right
    )


# Random orders in which every prefix is balanced over the strata.


def balanced_order(strata: Sequence[Hashable], rng: Rng) -> list[int]:
    """Return a random order in which any two strata's counts differ by at most one in every prefix.

    This holds while the strata have equal sizes; the surplus of larger strata comes last.
    """
    by_stratum: dict[Hashable, list[int]] = defaultdict(list)
    for index in rng.permutation(len(strata)):
        by_stratum[strata[int(index)]].append(int(index))
    # Each round takes one item from every stratum, in a random order.
    order: list[int] = []
    for round_number in range(max(map(len, by_stratum.values()), default=0)):
        round_ = [indices[round_number] for indices in by_stratum.values() if round_number < len(indices)]
        order.extend(round_[int(k)] for k in rng.permutation(len(round_)))
    return order
