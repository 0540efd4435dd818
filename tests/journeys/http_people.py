"""People on real HTTP connections who never give up: what was not acknowledged is sent again, unchanged."""

import asyncio
import json
import random
import ssl
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from understudy.participants.people import effortless_answer
from understudy.schema import Trial

_PAUSE_S = 0.02


class StubbornPerson:
    """Takes part in a study to the end, whatever happens to the server.

    With several servers, each request goes to one of them at random; `pause_s` is the mean pause between two. With
    https, `trusted` says whose certificates count.
    """

    def __init__(
        self, base: str | Sequence[str], study: str, number: int, on_acknowledged: Callable[[], None],
        *, pause_s: float = 0.0, trusted: ssl.SSLContext | None = None,
    ) -> None:  # fmt: skip
        self._bases = [f"{server}/api/s/{study}" for server in ([base] if isinstance(base, str) else base)]
        self._random = random.Random(number)
        self._pause_s = pause_s
        self._trusted = trusted
        self.pid = f"person-{number}"
        self.on_acknowledged = on_acknowledged
        self.sent: list[dict[str, Any]] = []
        self.n_acknowledged = 0
        self.n_retries = 0
        self.statuses: set[int] = set()
        self.said: set[str] = set()
        self.session_id = ""
        self.outcome = ""

    async def take_part(self) -> None:
        """Start, answer everything, and stop when the server says so."""
        async with httpx.AsyncClient(timeout=10, verify=self._trusted or False) as client:
            started = await self._stubbornly(client, "start", {"recruiter": {"PROLIFIC_PID": self.pid}, "go_on": True})
            if started.get("full"):
                self.outcome = "full"
                return
            if "refused" in started:
                self.outcome = str(started["refused"])
                return
            state = started
            self.session_id = started["token"].partition(".")[0]
            client.headers["Authorization"] = f"Bearer {started['token']}"
            while state["ended"] is None:
                for batch in self._batches(state):
                    self.sent.extend(batch)
                    if self._pause_s:
                        await asyncio.sleep(self._random.expovariate(1 / self._pause_s))
                    got = await self._stubbornly(client, "events", {"events": batch})
                    self.n_acknowledged = int(got["acknowledged_seq"])
                    self.on_acknowledged()
                    state = got["state"]
            self.outcome = state["ended"]["outcome"]

    async def _stubbornly(self, client: httpx.AsyncClient, route: str, body: dict[str, Any]) -> dict[str, Any]:
        content = json.dumps(body).encode()
        while True:
            try:
                got = await client.post(f"{self._random.choice(self._bases)}/{route}", content=content)
            except httpx.TransportError:
                self.n_retries += 1
                await asyncio.sleep(_PAUSE_S)
                continue
            self.statuses.add(got.status_code)
            if got.status_code in (200, 201, 410):
                found: dict[str, Any] = got.json()
                return found
            # A proxy without a server speaks for itself, and not in JSON.
            if got.headers.get("content-type") == "application/json":
                self.said.add(got.json()["error"])
            await asyncio.sleep(_PAUSE_S)

    def _batches(self, state: dict[str, Any]) -> list[list[dict[str, Any]]]:
        step, seq = state["step"], state["next_seq"]
        trial = Trial.model_validate(step["trial"])
        response = {ask.question_id: effortless_answer(ask) for ask in trial.asks}
        if "consent" in response:
            response["consent"] = "I agree"
        place = {"step": step["number"], "trial_id": trial.trial_id, "at_ms": 1_700_000_000_000 + seq}
        shown = {"type": "trial_shown", "seq": seq, **place}
        moved = {"type": "interacted", "seq": seq + 1, "action": "moved", "payload": {"x": seq}, **place}
        given = {"type": "response_given", "seq": seq + 2, "response": response, "rt_ms": 400.0, **place}
        if step.get("shown_seq"):
            # Somebody who comes back in the middle of a page has it on the screen already.
            return [[{**moved, "seq": seq}], [{**given, "seq": seq + 1}]]
        return [[shown, moved], [given]]
