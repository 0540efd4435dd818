"""A server in this process, and participants who walk through it."""

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette

from tests.loops import finished
from understudy.actions.serve import served_from_folder
from understudy.participants.people import effortless_answer
from understudy.prepare import prepare, write_prepared
from understudy.schema import Study, Trial
from understudy.serve import ServedStudy, Settings, close_app, create_app

SECRET = b"a secret of at least thirty-two characters"
ADMIN = "the-admin-token-of-tests"
ADMIN_HEADERS = {"Authorization": f"Bearer {ADMIN}", "X-Understudy-Admin": "1"}
GENEROUS = Settings(session_rate=1e6, session_burst=1e6, arrival_rate=1e6, arrival_burst=1e6)


class Hands:
    """A clock that tests move by hand."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def __call__(self) -> int:
        return self.ms


class Ticking(Hands):
    """A clock that goes on by a second whenever it is read, so that nobody is faster than the server."""

    def __call__(self) -> int:
        self.ms += 1000
        return self.ms


def folder_of(study: Study, folder: Path) -> Path:
    """Prepare a study into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_prepared(prepare(study, Path()), folder)


@contextmanager
def server(
    *folders: Path,
    settings: Settings = GENEROUS,
    clock: Callable[[], int] | None = None,
    seconds: Callable[[], float] | None = None,
) -> Iterator[Starlette]:
    """Serve folders until the end of the block; `clock` is what the server reads, and `seconds` what has passed."""
    reads = clock or Ticking()
    studies: list[ServedStudy] = [served_from_folder(folder) for folder in folders]
    try:
        app = create_app(
            studies, secret=SECRET, admin_token=ADMIN, clock=reads, settings=settings,
            seconds=seconds or (lambda: reads() / 1000),
        )  # fmt: skip
        try:
            yield app
        finally:
            close_app(app)
    finally:
        for study in studies:
            study.log.close()


def client_of(app: Starlette, address: str = "203.0.113.9", **more: Any) -> httpx.AsyncClient:
    """A browser without a page."""
    transport = httpx.ASGITransport(app=app, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://study.example", **more)


def played(app: Starlette, play: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:
    """Run one coroutine with a client."""

    async def run() -> Any:
        async with client_of(app) as client:
            return await play(client)

    return finished(run())


Answering = Callable[[dict[str, Any]], dict[str, Any]]


def typical(trial: dict[str, Any]) -> dict[str, Any]:
    """Answer whatever is asked, agreeing to take part and choosing the first that is possible."""
    made = Trial.model_validate(trial)
    given = {ask.question_id: effortless_answer(ask) for ask in made.asks}
    return given | ({"consent": "I agree"} if "consent" in given else {})


def answering(**fixed: Any) -> Answering:
    """Answer as usual, but these questions so."""
    return lambda trial: {name: fixed.get(name, value) for name, value in typical(trial).items()}


def page_events(state: dict[str, Any], response: dict[str, Any], *, at_ms: int = 1_700_000_000_500) -> list[Any]:
    """What a page sends for one step: shown, touched, answered."""
    step, seq = state["step"], state["next_seq"]
    place = {"step": step["number"], "trial_id": step["trial"]["trial_id"], "at_ms": at_ms}
    return [
        {"type": "trial_shown", "seq": seq, **place},
        {"type": "interacted", "seq": seq + 1, "action": "focus", "payload": {"on": True}, **place},
        {"type": "response_given", "seq": seq + 2, "response": response, "rt_ms": 812.5, **place},
    ]


class Person:
    """Somebody with a browser, in one study; `state` has the study's own names, which only the server can tell."""

    def __init__(self, client: httpx.AsyncClient, study: str, **recruiter: str) -> None:
        self.client = client
        self.base = f"/api/s/{study}"
        self.recruiter = recruiter
        self.token = ""
        self.state: dict[str, Any] = {}
        self.seen: list[bytes] = []
        self.is_plain = False

    async def start(self, **more: Any) -> httpx.Response:
        got = await self.client.post(f"{self.base}/start", json={"recruiter": self.recruiter, **more})
        self.seen.append(got.content)
        if "study" in got.json():
            found = got.json()
            self.token = found.pop("token", "")
            self.state = self.told(found)
        return got

    async def send(self, events: Sequence[Any]) -> httpx.Response:
        sent = [self.worded(event) for event in events]
        got = await self.client.post(f"{self.base}/events", json={"events": sent}, headers=self.headers)
        self.seen.append(got.content)
        if got.status_code == 200:
            self.state = self.told(got.json()["state"])
        return got

    async def fetch(self) -> dict[str, Any]:
        got = await self.client.get(f"{self.base}/state", headers=self.headers)
        assert got.status_code == 200, got.text
        self.state = self.told(got.json())
        return self.state

    async def answer(self, how: Answering = typical) -> httpx.Response:
        return await self.send(page_events(self.state, how(self.state["step"]["trial"])))

    async def finish(self, how: Answering = typical) -> dict[str, Any]:
        while self.state["ended"] is None:
            got = await self.answer(how)
            assert got.status_code == 200, got.text
        return dict(self.state["ended"])

    def _running(self) -> Any:
        transport: Any = self.client._transport
        return transport.app.state.server.studies[self.base.rsplit("/", 1)[-1]]

    def _names(self) -> Any:
        return self._running()._keyring.wire_names(self.token.partition(".")[0], self._running().script.blocks)

    def told(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state with the study's own names."""
        names, trials = self._names(), self._running().script.trials
        trial_of = {names.of(trial_id): trial_id for trial_id in trials}
        step = state["step"]
        # Simulated people are told the study's own names.
        self.is_plain = step is not None and step["trial"]["trial_id"] in trials
        for trial in [] if step is None else [step["trial"], *(one["trial"] for one in step["references"])]:
            trial["trial_id"] = trial_of.get(trial["trial_id"], trial["trial_id"])
            trial["block_id"] = names.block_of(trial["block_id"]) or trial["block_id"]
        for reference in [] if step is None else step["references"]:
            reference["block"] = names.block_of(reference["block"]) or reference["block"]
        return state

    def worded(self, event: Any) -> Any:
        """Return an event with the names of the page, where it says what trial it is about."""
        if not isinstance(event, dict) or event.get("trial_id") not in self._running().script.trials:
            return event
        return {**event, "trial_id": self.page_name(event["trial_id"])}

    def page_name(self, name: str) -> str:
        """Return what a block or a trial is called on this person's page."""
        return name if self.is_plain else str(self._names().of(name))

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def everything(value: Any) -> str:
    """JSON in one form, for comparing."""
    return json.dumps(value, sort_keys=True)
