"""Debrief: what the study was about, and how to withdraw one's data."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import TaskParams
from understudy.tasks.one_page import OnePage


class DebriefParams(TaskParams):
    """What the study was about, and whom to contact."""

    text: str = ""
    contact: str = ""


@register("tasks", "debrief")
class Debrief(OnePage):
    """Explains the study afterwards; asks nothing."""

    Params: ClassVar[type[TaskParams]] = DebriefParams
    text: str
    contact: str = ""
