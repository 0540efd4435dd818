"""Debrief: what the study was about, and the way to take one's data back."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Draft, Question, Record, Stimulus


@register("tasks", "debrief")
class Debrief(Record):
    """Explains the study afterwards; asks nothing."""

    version: ClassVar[str] = "1"
    text: str
    contact: str = ""

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
        return [Draft(params={"text": self.text, "contact": self.contact})]
