"""Tokens: what identifies sessions, returning people and researchers, all derived from one secret."""

import base64
import hmac
import secrets
from collections.abc import Collection
from typing import NamedTuple

from understudy.serve.wire.wire_names import WireNames

_LONGEST_NUMBER = 9


def new_session_id() -> str:
    """Return 16 random bytes that nobody can guess, safe in an address."""
    return secrets.token_urlsafe(16)


def new_participant_id() -> str:
    """Return a pseudonym for somebody without a recruiter's id."""
    return f"p-{secrets.token_hex(12)}"


class Pass(NamedTuple):
    """What a token opens: a session, whole or from some event on."""

    session_id: str
    since: int | None = None
    """The number of the first page event that the holder may know of, for people who went on with an id alone; None for the
    browser that began, and for people who proved that the session is theirs."""


class Keyring:
    """Signs and verifies. Pseudonyms, codes and links use different keys, so none can be used as another."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._of_people = _signed(secret, "people")
        self._of_codes = _signed(secret, "codes")
        self._of_names = _signed(secret, "names")
        self._of_links = _signed(secret, "links")
        self._of_departed = _signed(secret, "departed")
        self._of_guests = _signed(secret, "guests")
        self._of_knocks = _signed(secret, "knocks")

    def token_of(self, session_id: str) -> str:
        """Return the token that opens a session."""
        mac = base64.urlsafe_b64encode(_signed(self._secret, session_id)).rstrip(b"=").decode()
        return f"{session_id}.{mac}"

    def session_of(self, token: str) -> str | None:
        """Return the session a token opens, None for a forged one."""
        # Compared as a whole and in constant time, so that a forged token cannot be corrected byte by byte.
        session_id, dot, _ = token.partition(".")
        is_ours = hmac.compare_digest(self.token_of(session_id).encode(), token.encode("utf-8", "replace"))
        return session_id if dot and is_ours else None

    def guest_token(self, session_id: str, since: int) -> str:
        """Return the token of somebody who continues with a session and has nothing but an id."""
        mac = base64.urlsafe_b64encode(_signed(self._of_guests, f"{since} {session_id}")).rstrip(b"=").decode()
        return f"{session_id}.{since}.{mac}"

    def pass_of(self, token: str) -> Pass | None:
        """Return what a token opens, None for a forged one."""
        session_id, _, rest = token.partition(".")
        since, dot, _ = rest.partition(".")
        if dot and len(since) <= _LONGEST_NUMBER and since.isascii() and since.isdecimal():
            is_ours = is_same_text(token, self.guest_token(session_id, int(since)))
            return Pass(session_id, int(since)) if is_ours else None
        whole = self.session_of(token)
        return None if whole is None else Pass(whole)

    def finisher_mark(self, token: str) -> str:
        """Return what is kept of somebody who finished a session that they went on with by an id alone."""
        return _signed(self._of_guests, f"finished {token}").hex()

    def session_for(self, study_name: str, participant_id: str, knock: str) -> str:
        """Return the session id of somebody whose page chose a secret: if the answer gets lost, it can ask again."""
        mac = _signed(self._of_knocks, f"{study_name}\n{participant_id}\n{knock}")
        return base64.urlsafe_b64encode(mac[:16]).rstrip(b"=").decode()

    @property
    def fingerprint(self) -> str:
        """What all processes with the same secret have in common, and which does not tell the secret."""
        return _signed(self._secret, "fingerprint").hex()

    def participant_id(self, recruiter_id: str) -> str:
        """Return the pseudonym of a recruiter's participant, always the same."""
        return f"p-{_signed(self._of_people, recruiter_id).hex()[:24]}"

    def departure_mark(self, study_name: str, participant_id: str) -> str:
        """Return what remains of somebody who erased their data, to recognise them if they come again."""
        return _signed(self._of_departed, f"{study_name}\n{participant_id}").hex()

    def completion_code(self, session_id: str, outcome: str) -> str:
        """Return the eight characters that prove how a session ended."""
        return base64.b32encode(_signed(self._of_codes, f"{session_id} {outcome}"))[:8].decode()

    def outcome_code(self, study_name: str, outcome: str) -> str:
        """Return the code that everybody shows who ends a study in one way, for recruiters with fixed codes."""
        return base64.b32encode(_signed(self._of_codes, f"{study_name}\n{outcome}"))[:8].decode()

    def link_signature(self, study_name: str, recruiter_id: str) -> str:
        """Return what proves that a link with this id was made for this study."""
        return _signed(self._of_links, f"{study_name}\n{recruiter_id}").hex()[:32]

    def is_link(self, study_name: str, recruiter_id: str, signature: str) -> bool:
        """Tell whether a link was made here."""
        return is_same_text(signature, self.link_signature(study_name, recruiter_id))

    def wire_names(self, session_id: str, blocks: Collection[str]) -> WireNames:
        """Return what blocks and trials are called on the page of one session."""
        return WireNames(self._of_names, session_id, blocks)


def is_same_text(guess: str, wanted: str) -> bool:
    """Compare two secrets in a time that tells nothing about where they differ."""
    return hmac.compare_digest(guess.encode("utf-8", "replace"), wanted.encode())


def _signed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode("utf-8", "replace"), "sha256")
