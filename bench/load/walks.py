"""Walks: how one person goes through a study, whichever server has it."""

import json
from typing import Any, ClassVar, Protocol

from load.connection import Answer

N_MOVES = 12
"""Moves in one trial; with their numbers and places they are about 2 kB of JSON."""
_DAY_MS = 1_700_000_000_000


class Refused(Exception):
    """A server answered what it should not."""


class Walk(Protocol):
    """One person; made with the server's address and the token that names the person there."""

    n_events: ClassVar[int]
    """Interaction events in one submission."""

    async def start(self) -> None:
        """Arrive, and see the first trial."""

    async def submit(self) -> bool:
        """Send what was done on this page and wait for what comes next; false when nothing does."""

    def close(self) -> None:
        """Hang up."""


def moves(first_seq: int, n: int, step: int, trial_id: str) -> list[dict[str, Any]]:
    """Return dial moves as a page sends them."""
    return [
        {
            "type": "interacted",
            "seq": first_seq + k,
            "at_ms": _DAY_MS + 40 * (first_seq + k),
            "step": step,
            "trial_id": trial_id,
            "action": "dial_moved",
            "payload": {"dial": k % 5, "value": 0.125 * k, "distance": 0.5},
        }
        for k in range(n)
    ]


def checked(answer: Answer, *allowed: int) -> Answer:
    """Return an answer with an allowed status, or say what came instead."""
    if answer.status not in allowed:
        raise Refused(f"{answer.status}: {answer.body[:200].decode(errors='replace')}")
    return answer


def loaded(answer: Answer) -> dict[str, Any]:
    """Read an answer's JSON object."""
    plain: dict[str, Any] = json.loads(answer.body)
    return plain
