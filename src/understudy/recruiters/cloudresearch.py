"""CloudResearch Connect: names people by participantId, and pays by a list that you upload."""

from collections.abc import Mapping
from typing import ClassVar

from understudy.recruiters.needs import platform_needs
from understudy.registry import register
from understudy.schema import Record, Study
from understudy.schema.recruitment import SentBack


@register("recruiters", "cloudresearch")
class CloudResearch(Record):
    """Sends people of CloudResearch Connect. Pay goes by a CSV file: there is no public API."""

    id_parameters: ClassVar[tuple[str, ...]] = ("participantId",)
    has_fixed_codes: ClassVar[bool] = True
    completion_url: str = ""
    """Where people go at the end, as the project's page shows it; {code} is filled in. Without {code}, only people who finished go there."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return what Connect needs and the study file does not say."""
        own = () if self.completion_url else ("Connect needs to hear who finished; copy its completion_url.",)
        return (*platform_needs(study, "Connect"), *own)

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the completion address with the code of the ending."""
        # An address without a code says that its visitor has finished, and approves them.
        if "{code}" not in self.completion_url and ending not in ("completed", "excluded"):
            return None
        return self.completion_url.replace("{code}", code) or None
