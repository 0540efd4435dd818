"""Our server: a submission is one request, and the answer to it holds the next trial."""

import json
from typing import Any, ClassVar

from load.connection import Connection
from load.walks import N_MOVES, checked, loaded, moves

STUDY = "two-groups"
N_BATCH = 20
"""Events in a batch of moves without an answer."""
_JSON = "Content-Type: application/json\r\n"


class Ours:
    """Answers every trial, with its moves in the same request."""

    n_events: ClassVar[int] = N_MOVES

    def __init__(self, address: str, token: str) -> None:
        self._person = token
        self._connection = Connection(address)
        self._headers = _JSON
        self._state: dict[str, Any] = {}

    async def start(self) -> None:
        """Arrive and agree to take part."""
        body = json.dumps({"recruiter": {"PROLIFIC_PID": self._person}}).encode()
        path = f"/api/s/{STUDY}/start"
        self._state = loaded(checked(await self._connection.ask("POST", path, body, _JSON), 201))
        self._headers = f"{_JSON}Authorization: Bearer {self._state['token']}\r\n"
        await self._send([*self._shown(), self._given({"consent": "I agree"}, 1)])

    async def submit(self) -> bool:
        """Send a whole trial: shown, moved, answered."""
        seq, step = self._state["next_seq"], self._state["step"]
        made = moves(seq + 1, N_MOVES, step["number"], step["trial"]["trial_id"])
        given = self._given({"guess": "no"}, N_MOVES + 1)
        await self._send([*self._shown(), *made, given])
        return self._state["ended"] is None

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    async def _send(self, events: list[dict[str, Any]]) -> None:
        body = json.dumps({"events": events}, separators=(",", ":")).encode()
        answer = await self._connection.ask("POST", f"/api/s/{STUDY}/events", body, self._headers)
        said = loaded(checked(answer, 200))
        if said["acknowledged_seq"] != events[-1]["seq"]:
            raise ConnectionError(f"{events[-1]['seq']} was sent, {said['acknowledged_seq']} acknowledged.")
        self._state = said["state"]

    def _place(self, offset: int) -> dict[str, Any]:
        step, seq = self._state["step"], self._state["next_seq"] + offset
        at_ms = 1_700_000_000_000 + 40 * seq
        return {"seq": seq, "at_ms": at_ms, "step": step["number"], "trial_id": step["trial"]["trial_id"]}

    def _shown(self) -> list[dict[str, Any]]:
        return [{"type": "trial_shown", **self._place(0)}]

    def _given(self, response: dict[str, Any], offset: int) -> dict[str, Any]:
        return {"type": "response_given", **self._place(offset), "response": response, "rt_ms": 812.5}


class OurMoves(Ours):
    """Stays on the first trial and sends its moves in batches."""

    n_events: ClassVar[int] = N_BATCH

    async def submit(self) -> bool:
        """Send one batch of moves."""
        step = self._state["step"]
        await self._send(moves(self._state["next_seq"], N_BATCH, step["number"], step["trial"]["trial_id"]))
        return True
