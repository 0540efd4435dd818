"""SONA: names people by survey code."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Record


@register("recruiters", "sona")
class Sona(Record):
    """Sends students of a SONA participant pool."""

    id_parameters: ClassVar[tuple[str, ...]] = ("survey_code", "SONA_ID")
