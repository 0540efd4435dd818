"""The demonstration: a crowd of simulated people, on a clock that runs faster than real time."""

import heapq
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue
from starlette.applications import Starlette

from understudy.actions.run_folder import Run, new_run, require_same_version, written_run
from understudy.actions.serve import built_front_end, secrets_from, served_from_folder
from understudy.conduct import Script
from understudy.errors import LogError, UnderstudyError
from understudy.record import Log, lock_folder
from understudy.record.log import now_ms
from understudy.schema import Cast, Effect, Event, Json, SessionStarted, Study
from understudy.serve import TOKEN_HEADER, Demo, ServedStudy, Settings, create_app
from understudy.serve.hosting import listening_at
from understudy.simulate import Arrival, actor_for, play_session, ready_cast


class FastClock:
    """Returns simulated time in milliseconds, which runs `speed` times as fast as real time."""

    def __init__(self, start_ms: int, *, speed: float, seconds: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self._start_ms = start_ms
        self._seconds = seconds
        self._began_s = seconds()

    def __call__(self) -> int:
        """Return the simulated time."""
        return self._start_ms + int((self._seconds() - self._began_s) * 1000 * self.speed)

    def wait_s(self, until_ms: int) -> float:
        """Return the real seconds until a simulated time, at least 0."""
        return max(0.0, (until_ms - self()) / 1000 / self.speed)


# Simulated people who take part over HTTP on a running server, as browsers do.

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


# The demo: one study served to visitors, and rehearsed in a separate run.

EFFECT = Effect(when={"explanation": "shown"}, blocks=("predict",), questions=("prediction",), shift=0.7)
"""The effect of explanations on the demo's simulated people, so that there is something to find."""
SPEED = 60.0
"""Simulated minutes pass in seconds."""
LEAD = "A model decides whether loans will be repaid. Study twelve of its decisions, then predict twelve more."
_N_PORTS = 50


class DemoRuns(NamedTuple):
    """The two runs of the demo."""

    people: Run
    simulated: Run

    @property
    def is_fresh(self) -> bool:
        """Whether neither run has a session yet."""
        return not (self.people.log_path.exists() or self.simulated.log_path.exists())


def demo_runs(study: Study, root: Path, folder: Path) -> DemoRuns:
    """Prepare the study, and write it twice: for people and for simulated people."""
    people = new_run(study, root, folder / "people")
    require_same_version(study, folder / "simulated")
    return DemoRuns(people, written_run(people.prepared, folder / "simulated"))


def listening_from(first_port: int) -> socket.socket:
    """Listen on a port, or on the next free one."""
    for port in range(first_port, min(first_port + _N_PORTS, 65536)):
        with suppress(OSError):
            return listening_at("127.0.0.1", port)
    raise UnderstudyError(f"Ports {first_port} to {port} are all taken; give another one with --port.")


@contextmanager
def demo_app(runs: DemoRuns, arrivals: Arrivals, port: int) -> Iterator[Starlette]:
    """Yield the demo server, with simulated people arriving until the block ends."""
    stop = threading.Event()
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(lock_folder(run.folder))
        people = served_from_folder(runs.people.folder)
        stack.callback(people.log.close)
        simulated = served_from_folder(runs.simulated.folder)
        stack.callback(simulated.log.close)
        # A second demo in the same folder continues after the events of the first.
        clock = FastClock(max(now_ms(), _last_ms(simulated)), speed=SPEED)
        keys = secrets_from({}, runs.people.folder / "serve.secret")
        name = f"{people.name}-rehearsal"
        simulated = replace(simulated, address=name, is_rehearsal=True, clock=clock)
        app = create_app(
            [simulated, people],
            secret=keys.secret,
            admin_token=keys.admin_token,
            clock=now_ms,
            settings=Settings(
                web=built_front_end(), demo=Demo(people.name, name, _lead(people.script.study)), sweep_s=1.0
            ),
        )
        server = DemoServer(port, name, keys.admin_token, simulated.script, simulated.log)
        sender = threading.Thread(target=Crowd(server, arrivals, clock).take_part, args=(stop,), name="crowd")
        sender.start()
        stack.callback(sender.join)
        stack.callback(stop.set)
        yield app


def _lead(study: Study) -> str:
    """Return what the landing page says of the study, with the minutes that people read before they consent."""
    minutes = study.pay.expected_minutes if study.pay else None
    return LEAD if minutes is None else f"{LEAD} It takes about {minutes:g} minutes, and you can stop at any time."


def _last_ms(served: ServedStudy) -> int:
    """Return the time of the last event of an earlier demo, since simulated time must not run backwards."""
    return max((summary.last_event_ms for summary in served.log.summaries(served.script.study.name)), default=0)
