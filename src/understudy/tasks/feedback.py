"""Feedback: how the participant did, from measures the server computes."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Answers, Draft, Question, Record, Stimulus, TaskParams


class FeedbackParams(TaskParams):
    """The text above the results, and which of them are shown."""

    text: str = ""
    measures: tuple[str, ...] = ()


@register("tasks", "feedback")
class Feedback(Record):
    """Shows session measures by name; their values arrive with the page, never before."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = FeedbackParams
    Response: ClassVar[type[Record]] = Answers
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
        return [Draft(params=FeedbackParams(text=self.text, measures=self.measures))]
