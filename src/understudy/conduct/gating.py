"""Gating: what people are told about a gate, so that a failed try teaches something."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from understudy.conduct.block_visits import BlockVisit
from understudy.conduct.scoring import StepEvents
from understudy.schema import Json, Reference, ResponseGiven, Screen, Stage


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
