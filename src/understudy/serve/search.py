"""Search: find sessions by what a participant writes in a message: an id, or a completion code."""

from understudy.schema.wire import SessionRow
from understudy.serve.refusals import unacceptable
from understudy.serve.tokens import Keyring

_LONGEST = 100


class Search:
    """A text that fits sessions by recruiter's id, pseudonym, session or completion code; an empty one fits all."""

    def __init__(self, text: str, keyring: Keyring) -> None:
        if len(text) > _LONGEST:
            raise unacceptable(f"A search has at most {_LONGEST} characters.")
        self._text = text.strip().lower()
        # Recruiters' ids are not in the log, but their pseudonym can be computed again.
        self._pseudonym = keyring.participant_id(text.strip())

    def fits(self, row: SessionRow) -> bool:
        """Tell whether a session is meant."""
        if not self._text or row.participant_id == self._pseudonym:
            return True
        names = (row.participant_id, row.participant_id.partition("-")[2], row.session_id, row.code or "")
        return any(name.lower().startswith(self._text) for name in names)
