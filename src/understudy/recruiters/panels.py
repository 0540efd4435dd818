"""Panels with links of their own: CloudResearch Connect and SONA."""

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from understudy.recruiters.platform import id_needs, platform_needs
from understudy.registry import register
from understudy.schema import Record, Study
from understudy.schema.study import SentBack


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


# SONA: names people by survey code, and gives credit to those who come back by the right address.

_SURVEY_CODE = "XXXX"
"""What SONA writes where the survey code of a person belongs."""


@register("recruiters", "sona")
class Sona(Record):
    """Sends students of a SONA participant pool, who get credit at the end."""

    id_parameters: ClassVar[tuple[str, ...]] = ("survey_code", "SONA_ID")
    has_fixed_codes: ClassVar[bool] = False
    credit_url: str = ""
    """The completion address that the study's page at SONA shows, with its credit token and survey_code=XXXX."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return what SONA needs and the study file does not say."""
        own: tuple[str, ...] = ()
        if _SURVEY_CODE not in self.credit_url:
            own = (
                f"SONA gives credit by an address of its own; copy it with survey_code={_SURVEY_CODE} into credit_url.",
            )
        return (*id_needs(study, "SONA"), *own)

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the address that grants credit, for people who finished and for those excluded by a rule."""
        survey_code = fields.get("survey_code", "")
        if ending not in ("completed", "excluded") or not survey_code or not self.credit_url:
            return None
        return self.credit_url.replace(_SURVEY_CODE, quote(survey_code, safe=""))
