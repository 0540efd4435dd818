"""Solved: whether the dials were turned to a match."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.answer import last_answer
from understudy.measures.dials.measure import OfDials
from understudy.registry import register
from understudy.schema import Event, Json, Scale


@register("measures", "solved")
class Solved(OfDials):
    """1 if the match was found, 0 if the question was skipped; the mean is the completion rate."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "binary"
    question: str = "dials"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the outcome, or None if nothing was submitted."""
        answer = last_answer(events, self.question)
        outcome = answer.get("outcome") if isinstance(answer, dict) else None
        return float(outcome == "solved") if outcome in ("solved", "skipped") else None
