"""Simulated people who take part over HTTP on a running server, as browsers do."""

import heapq
import json
import threading
from collections import deque
from http.client import HTTPConnection, HTTPException
from itertools import groupby
from typing import NamedTuple

from pydantic import JsonValue

from understudy.conduct import Script
from understudy.errors import LogError
from understudy.record import Log
from understudy.schema import Cast, Event, Json, SessionStarted
from understudy.serve import TOKEN_HEADER
from understudy.simulate import Arrival, actor_for, play_session, ready_cast
from understudy.workflow.demo.fast_clock import FastClock

_PATIENCE_S = 10.0
_RETRY_S = 0.5
_FULL_GAPS = 5
"""While all places are taken, the crowd waits this many times the usual gap between arrivals."""
_RETRY_STATUSES = frozenset({429, 500, 503})
"""Status codes after which a page would retry."""


class DemoServer(NamedTuple):
    """The server that simulated people connect to."""

    port: int
    name: str
    """The name in links."""
    admin_token: str
    """The token that admits simulated people."""
    script: Script
    log: Log
    """Holds the assignments, which pages never see."""


class Arrivals(NamedTuple):
    """Who comes, and how fast."""

    cast: Cast
    seed: int
    per_second: float
    """Arrivals per second of real time."""
    n_people: int | None = None
    """The most that arrive; None for as many as there are places."""


class _Visit(NamedTuple):
    due_ms: int
    number: int
    token: str
    batches: "deque[list[Event]]"


class Crowd:
    """Sends simulated people until stopped; the places of people who drop out are filled again."""

    def __init__(self, server: DemoServer, arrivals: Arrivals, clock: FastClock) -> None:
        self._server = server
        self._arrivals = arrivals
        self._clock = clock
        self._cast = ready_cast(arrivals.cast)
        self._gap_ms = int(1000 * clock.speed / arrivals.per_second)
        self._n_arrived = sum(1 for _ in server.log.summaries(server.script.study.name))
        self._next_arrival_ms = clock()
        self._visits: list[_Visit] = []
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE_S)

    @property
    def is_over(self) -> bool:
        """Whether everyone has come and finished."""
        return not self._visits and not self._expects_more

    @property
    def _expects_more(self) -> bool:
        return self._arrivals.n_people is None or self._n_arrived < self._arrivals.n_people

    def take_part(self, stop: threading.Event) -> None:
        """Let people arrive and answer at their own pace, until all have finished or `stop` is set."""
        while not stop.is_set() and not self.is_over:
            try:
                self._advance()
            except (OSError, HTTPException):
                # The server is starting or stopping; whatever was not acknowledged is sent again.
                self._connection.close()
                stop.wait(_RETRY_S)
            stop.wait(self._clock.wait_s(self._next_ms()))
        self._connection.close()

    def _next_ms(self) -> int:
        moments = [self._visits[0].due_ms] if self._visits else []
        return min([*moments, self._next_arrival_ms] if self._expects_more else moments, default=0)

    def _advance(self) -> None:
        if self._expects_more and self._clock() >= self._next_arrival_ms:
            is_in = self._arrive()
            # Counted from the last arrival, so that a busy machine does not slow the stream; missed arrivals are not made up.
            next_ms = self._next_arrival_ms + self._gap_ms * (1 if is_in else _FULL_GAPS)
            self._next_arrival_ms = max(next_ms, self._clock())
        while self._visits and self._visits[0].due_ms <= self._clock():
            visit = self._visits[0]
            self._answer(visit)
            heapq.heappop(self._visits)
            if visit.batches:
                heapq.heappush(self._visits, visit._replace(due_ms=visit.batches[0][-1].at_ms))

    def _arrive(self) -> bool:
        actor = actor_for(self._server.script, self._cast, seed=self._arrivals.seed, arrival=self._n_arrived)
        arrival: Json = {"synthetic": True, "cast": actor.role.cast}
        got = self._post("start", arrival, {TOKEN_HEADER: self._server.admin_token})
        if got is None or "token" not in got:
            return False
        token = str(got["token"])
        started = self._server.log.session(token.partition(".")[0])[0]
        if not isinstance(started, SessionStarted):
            raise LogError(f"Session {started.session_id} does not begin with its start; its log is damaged.")
        newcomer = Arrival(started.session_id, started.participant_id, started.at_ms, started.assignment)
        # The server derives engine events itself; a browser sends page events only.
        page = [event for event in play_session(self._server.script, actor, newcomer) if event.stream == "page"]
        batches = deque(list(of_step) for _, of_step in groupby(page, key=lambda event: getattr(event, "step", 0)))
        heapq.heappush(self._visits, _Visit(batches[0][-1].at_ms, self._n_arrived, token, batches))
        self._n_arrived += 1
        return True

    def _answer(self, visit: _Visit) -> None:
        events: list[JsonValue] = [
            event.model_dump(mode="json", exclude={"session_id", "stream"}) for event in visit.batches[0]
        ]
        got = self._post("events", {"events": events}, {"Authorization": f"Bearer {visit.token}"})
        if got is None:
            visit.batches.clear()  # the session was excluded, ended or erased in the meantime
        else:
            visit.batches.popleft()

    def _post(self, route: str, body: Json, headers: dict[str, str]) -> Json | None:
        """Send a request and return its answer, or None if the server rejects it."""
        address = f"/api/s/{self._server.name}/{route}"
        self._connection.request("POST", address, json.dumps(body), {**headers, "Content-Type": "application/json"})
        answer = self._connection.getresponse()
        read = answer.read()
        if answer.status in _RETRY_STATUSES:
            raise OSError(f"the server answered {answer.status}")
        parsed: Json = json.loads(read)
        return parsed if answer.status < 400 else None
