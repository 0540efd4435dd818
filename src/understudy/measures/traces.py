"""Traces: what a session shows beyond its answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.measured_unit import SessionMeasure, TrialMeasure
from understudy.registry import register
from understudy.schema import Event, GateDecided, Interacted, Json, ResponseGiven, Scale, canonical_json


@register("measures", "actions")
class Actions(TrialMeasure):
    """How often an action occurred in a trial: earlier material opened, focus lost, a dial turned."""

    scale: ClassVar[Scale] = "count"
    action: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Count the actions; none is 0 and not missing."""
        return float(sum(isinstance(event, Interacted) and event.action == self.action for event in events))


@register("measures", "tries")
class Tries(SessionMeasure):
    """How many attempts a gate took."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "count"
    block: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number of the last attempt, or None if the gate was never reached."""
        tries = [e.try_number for e in events if isinstance(e, GateDecided) and e.block_id == self.block]
        return float(tries[-1]) if tries else None


@register("measures", "straight_lining")
class StraightLining(SessionMeasure):
    """The share of a session's answers to one question that are its most frequent answer; 1 is a straight line."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "bounded"
    question: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None with fewer than two answers."""
        n_by_answer = Counter(
            # Canonical JSON makes lists and objects countable.
            canonical_json(event.response[self.question])
            for event in events
            if isinstance(event, ResponseGiven) and self.question in event.response
        )
        n = n_by_answer.total()
        return n_by_answer.most_common(1)[0][1] / n if n > 1 else None
