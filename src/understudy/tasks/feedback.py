"""Feedback: how the participant did, from measures the server computes."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import TaskParams
from understudy.tasks.one_page import OnePage


class FeedbackParams(TaskParams):
    """The text above the results, and which of them are shown."""

    text: str = ""
    measures: tuple[str, ...] = ()


@register("tasks", "feedback")
class Feedback(OnePage):
    """Shows session measures by name; their values arrive with the page, never before."""

    Params: ClassVar[type[TaskParams]] = FeedbackParams
    text: str = ""
    measures: tuple[str, ...] = ()
