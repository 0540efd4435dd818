"""CloudResearch Connect: names people by participantId."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Record


@register("recruiters", "cloudresearch")
class CloudResearch(Record):
    """Sends people of CloudResearch Connect."""

    id_parameters: ClassVar[tuple[str, ...]] = ("participantId",)
