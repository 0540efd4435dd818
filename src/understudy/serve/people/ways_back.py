"""Ways back: the code that people show at the end, and the address by which they return to their recruiter."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

from understudy.registry import create, offers
from understudy.roles import SendsBack
from understudy.schema import Study
from understudy.schema.recruitment import SentBack
from understudy.serve.tokens import Keyring

_WITHOUT_CODE = frozenset({"declined", "abandoned", "full"})
"""Endings that are not paid, so that a person's own code would prove nothing; a recruiter's fixed codes exist for all."""


class WaysBack:
    """The codes and addresses of one study."""

    def __init__(
        self,
        study: Study,
        keyring: Keyring,
        completion_url: str | None = None,
        fields_of: Callable[[str], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self._study_name, self._keyring, self._completion_url = study.name, keyring, completion_url
        self._fields_of = fields_of
        named = study.recruitment.recruiter if study.recruitment is not None else None
        self._recruiter: SendsBack | None = None
        if named is not None and offers("recruiters", named.name, SendsBack):
            self._recruiter = create("recruiters", named)

    @property
    def has_fixed_codes(self) -> bool:
        """Whether each ending has one code, the same for everybody."""
        return self._recruiter is not None and self._recruiter.has_fixed_codes

    def code(self, session_id: str, ending: SentBack | None) -> str | None:
        """Return the code that somebody shows to be paid; None while the session continues, or where there is none."""
        if ending is None:
            return None
        if self.has_fixed_codes:
            return self._keyring.outcome_code(self._study_name, ending)
        return None if ending in _WITHOUT_CODE else self._keyring.completion_code(session_id, ending)

    def address(self, participant_id: str, ending: SentBack, code: str | None) -> str | None:
        """Return where a participant goes at the end; None where there is nowhere to go."""
        return self._address(ending, code, lambda: self._fields_of(participant_id))

    def address_without_session(self, fields: Mapping[str, str]) -> str | None:
        """Return where somebody goes who was not let in."""
        return self._address("full", self.code("", "full"), lambda: fields)

    def _address(self, ending: SentBack, code: str | None, fields: Callable[[], Mapping[str, str]]) -> str | None:
        if self._completion_url is not None:
            if code is None:
                return None
            return self._completion_url.replace("{code}", quote(code)).replace("{outcome}", quote(ending))
        return None if self._recruiter is None else self._recruiter.way_back(ending, code or "", fields())
