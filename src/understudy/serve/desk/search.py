"""Search: find sessions by what a participant writes in a message: an id, or a completion code."""

import re
from collections.abc import Callable

from understudy.record import SessionSummary
from understudy.schema import Ending
from understudy.serve.refusals import unacceptable
from understudy.serve.tokens import Keyring

_LONGEST = 100
_CODE = re.compile(r"[a-z2-7]{8}")


class Search:
    """A text that fits sessions by recruiter's id, pseudonym, session or completion code; an empty one fits all."""

    def __init__(self, text: str, keyring: Keyring, codes: Callable[[str, Ending | None], str | None]) -> None:
        if len(text) > _LONGEST:
            raise unacceptable(f"A search has at most {_LONGEST} characters.")
        self._text = text.strip().lower()
        # Recruiters' ids are not in the log, but their pseudonym can be computed again.
        self._pseudonym = keyring.participant_id(text.strip())
        # A code takes a keyed hash for each session, so only a text that can be one is compared with them.
        self._codes = codes if _CODE.fullmatch(self._text) else None

    def fits(self, session: SessionSummary) -> bool:
        """Tell whether a session is meant."""
        if not self._text or session.participant_id == self._pseudonym:
            return True
        names = (session.participant_id, session.participant_id.partition("-")[2], session.session_id)
        if any(name.lower().startswith(self._text) for name in names):
            return True
        code = self._codes(session.session_id, session.outcome) if self._codes else None
        return code is not None and code.lower() == self._text
