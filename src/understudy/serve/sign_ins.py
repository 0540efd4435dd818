"""Sign-ins: a random pass for each, known to the server only by its hash, and forgotten when somebody signs out."""

import hashlib
import secrets

from understudy.serve.desk_file import DeskFile
from understudy.serve.researchers import UNNAMED, Actor, Researchers

PASS_MS = 12 * 3600 * 1000


class SignIns:
    """Who is signed in."""

    def __init__(self, file: DeskFile, researchers: Researchers) -> None:
        self._file = file
        self._researchers = researchers

    def enter(self, name: str, now_ms: int) -> str:
        """Return a new pass for half a day."""
        token = secrets.token_urlsafe(32)
        with self._file.opened() as database:
            database.execute("DELETE FROM sign_ins WHERE until_ms <= ?", (now_ms,))
            database.execute("INSERT INTO sign_ins VALUES (?, ?, ?)", (_hash(token), name, now_ms + PASS_MS))
        return token

    def actor_of(self, token: str, now_ms: int) -> Actor | None:
        """Return who holds a pass; the role is looked up each time, so that a change counts at once."""
        with self._file.opened() as database:
            row = database.execute(
                "SELECT name FROM sign_ins WHERE pass_hash = ? AND until_ms > ?", (_hash(token), now_ms)
            ).fetchone()
        if row is None:
            return None
        if row[0] == UNNAMED:
            # A pass made with the token ends when there are names: from then on, acts must have a real author.
            return None if self._researchers.all() else Actor(UNNAMED, "owner")
        return self._researchers.find(row[0])

    def leave(self, token: str) -> None:
        """Forget a pass, wherever copies of its cookie are."""
        with self._file.opened() as database:
            database.execute("DELETE FROM sign_ins WHERE pass_hash = ?", (_hash(token),))


def _hash(token: str) -> str:
    # Fast hashing is enough: a pass has 256 random bits, so that nobody can guess it.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
