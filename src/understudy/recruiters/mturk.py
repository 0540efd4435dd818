"""Mechanical Turk: names people by workerId, and takes the end of a session as a submitted assignment."""

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlencode, urlsplit

from understudy.recruiters.needs import platform_needs
from understudy.registry import register
from understudy.schema import Record, Study
from understudy.schema.recruitment import SentBack

_HOSTS = frozenset({"www.mturk.com", "workersandbox.mturk.com"})
"""Where assignments may be submitted: the address comes with the link, and a link can be forged."""
_LONGEST_TITLE = 128


@register("recruiters", "mturk")
class MechanicalTurk(Record):
    """Sends workers of Amazon Mechanical Turk, which takes no new customers since 2026-07-30."""

    id_parameters: ClassVar[tuple[str, ...]] = ("workerId",)
    has_fixed_codes: ClassVar[bool] = True
    region: str = "us-east-1"
    is_sandbox: bool = False
    """Whether to use the sandbox, where nobody is paid."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return what Mechanical Turk needs and the study file does not say."""
        return tuple(platform_needs(study, "Mechanical Turk", currencies=("USD",), longest_title=_LONGEST_TITLE))

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the address that submits the assignment with the code of the ending."""
        assignment_id, submit_to = fields.get("assignmentId", ""), fields.get("turkSubmitTo", "")
        if not assignment_id or urlsplit(submit_to).hostname not in _HOSTS:
            return None
        query = urlencode({"assignmentId": assignment_id, "code": code})
        return f"https://{urlsplit(submit_to).hostname}/mturk/externalSubmit?{query}"
