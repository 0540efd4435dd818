"""Feedback: how the participant did, from measures the server computes."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Draft, Question, Record, Stimulus


@register("tasks", "feedback")
class Feedback(Record):
    """Shows session measures by name; their values arrive with the page, never before."""

    version: ClassVar[str] = "1"
    text: str = ""
    measures: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Nothing is asked."""
        return ()

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        return [Draft(params={"text": self.text, "measures": list(self.measures)})]
