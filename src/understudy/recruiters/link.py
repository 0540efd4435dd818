"""Plain link: a list of your own, with an id in each link, signed where the study asks for it."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Record, Study


@register("recruiters", "link")
class PlainLink(Record):
    """Sends people from a list, each with a link that names them; you pay them yourself."""

    id_parameters: ClassVar[tuple[str, ...]] = ("participant_id", "PID")

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return nothing: the person who sends the links tells people what they need to know."""
        return ()
