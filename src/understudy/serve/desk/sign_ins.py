"""Sign-ins: how many guesses are judged, and a random pass for each, known to the server only by its hash."""

import hashlib
import secrets

from understudy.record import Desk
from understudy.serve.desk.researchers import UNNAMED, Actor, actor_in
from understudy.serve.limits import CLOSED_S, N_GUESSES, N_GUESSES_FOR_NAME

PASS_MS = 12 * 3600 * 1000


class SignIns:
    """Who is signed in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def enter(self, name: str, now_ms: int) -> str:
        """Return a new pass for half a day."""
        token = secrets.token_urlsafe(32)
        with self._desk.writing() as rows:
            rows.forget_passes_until(now_ms)
            rows.enter_pass(_hash(token), name, now_ms + PASS_MS)
        return token

    def admits(self, address: str, name: str, now_ms: int) -> bool:
        """Count a guess before it is judged, in all processes with the same accounts; false if too many were wrong."""
        by_address, for_name = _sources(address, name)
        most_from = {by_address: N_GUESSES, for_name: N_GUESSES_FOR_NAME}
        with self._desk.writing() as rows:
            return rows.admits_guess(most_from, now_ms, now_ms + int(CLOSED_S * 1000))

    def forget_guesses(self, address: str, name: str) -> None:
        """Forget the guesses of somebody who knew the password."""
        with self._desk.writing() as rows:
            rows.forget_guesses(_sources(address, name))

    def actor_of(self, token: str, now_ms: int) -> Actor | None:
        """Return who holds a pass; the role is looked up each time, so that a change counts at once."""
        with self._desk.reading() as rows:
            name = rows.holder_of(_hash(token), now_ms)
            accounts = rows.accounts() if name is not None else {}
        if name == UNNAMED:
            # A pass made with the token ends when there are names: from then on, acts must have a real author.
            return None if accounts else Actor(UNNAMED, "owner")
        return actor_in(accounts[name]) if name in accounts else None

    def leave(self, token: str) -> None:
        """Forget a pass, wherever copies of its cookie are."""
        with self._desk.writing() as rows:
            rows.forget_pass(_hash(token))


def _sources(address: str, name: str) -> tuple[str, str]:
    # Hashed: nobody's address or mistyped password is stored. Rows are deleted a minute after the last guess.
    return _hash(f"address {address}"), _hash(f"name {name}")


def _hash(token: str) -> str:
    # Fast hashing is enough: a pass has 256 random bits, so that nobody can guess it.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
