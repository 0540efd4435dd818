"""Seals: right answers that a page can recognise but not read."""

import hashlib
import struct
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

N_ROUNDS = 20_000
"""Rounds of PBKDF2. They keep an answer from being read or looked up; a few options are still tried in a second."""


class Sealer:
    """Seals answers of one session under one salt."""

    def __init__(self, salt: bytes, n_rounds: int = N_ROUNDS) -> None:
        self.salt = salt
        self.n_rounds = n_rounds

    def seal(self, trial_id: str, questions: Sequence[str], answers: Mapping[str, JsonValue]) -> str:
        """Return one hash of all these answers, so that none can be guessed without the others."""
        marks = "".join(mark_of(answers.get(name)) for name in questions)
        text = f"{trial_id}\x1f{marks}".encode()
        return hashlib.pbkdf2_hmac("sha256", text, self.salt, self.n_rounds).hex()


def mark_of(value: JsonValue) -> str:
    """Write a value so that Python and TypeScript write equal values the same; numbers by their 64 bits."""
    if value is None:
        return "z;"
    if isinstance(value, bool | int | float):
        return f"n{struct.pack('>d', float(value) + 0.0).hex()};"
    if isinstance(value, str):
        return f"s{len(value.encode('utf-16-be')) // 2}:{value};"
    if isinstance(value, list):
        return f"l{''.join(map(mark_of, value))};"
    # Browsers order texts by their UTF-16 units.
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return f"d{''.join(mark_of(name) + mark_of(value[name]) for name in names)};"
