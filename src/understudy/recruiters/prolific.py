"""Prolific: names people by PROLIFIC_PID."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Record


@register("recruiters", "prolific")
class Prolific(Record):
    """Sends people whose link carries their Prolific ID."""

    id_parameters: ClassVar[tuple[str, ...]] = ("PROLIFIC_PID",)
