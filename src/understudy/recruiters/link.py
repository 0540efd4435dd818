"""Plain link: a list of your own, with an id in each link."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Record


@register("recruiters", "link")
class PlainLink(Record):
    """Sends people from a list, each with a link that names them."""

    id_parameters: ClassVar[tuple[str, ...]] = ("participant_id", "PID")
