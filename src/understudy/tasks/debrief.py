"""Debrief: what the study was about, and how to withdraw one's data."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Answers, Draft, Question, Record, Stimulus, TaskParams


class DebriefParams(TaskParams):
    """What the study was about, and whom to contact."""

    text: str = ""
    contact: str = ""


@register("tasks", "debrief")
class Debrief(Record):
    """Explains the study afterwards; asks nothing."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = DebriefParams
    Response: ClassVar[type[Record]] = Answers
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
        return [Draft(params=DebriefParams(text=self.text, contact=self.contact))]
