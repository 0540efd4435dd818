"""Mechanical Turk: names people by workerId."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Record


@register("recruiters", "mturk")
class MechanicalTurk(Record):
    """Sends workers of Amazon Mechanical Turk."""

    id_parameters: ClassVar[tuple[str, ...]] = ("workerId",)
