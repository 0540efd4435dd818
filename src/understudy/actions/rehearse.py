"""Rehearsals: simulated people take part in a run, in the engine or in browsers of a local server."""

import asyncio
import secrets
import shlex
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn
from starlette.applications import Starlette

from understudy.actions.parts import follow_up_of, invited_sessions
from understudy.actions.run_folder import Run, existing_run, only_writer
from understudy.actions.serve import built_front_end, served_from_folder
from understudy.actions.studies import free_path
from understudy.errors import LogError, UnderstudyError
from understudy.record import Log
from understudy.record.log import now_ms
from understudy.schema import Cast
from understudy.serve import Settings, create_app
from understudy.serve.participant_routes import TOKEN_HEADER
from understudy.simulate import N_AT_ONCE, ReadyCast, actor_for, person_name, ready_cast, rehearse
from understudy.simulate.browser import (
    BrowserParticipant,
    BrowserRehearsal,
    OpenSession,
    RehearsalNotes,
    Watch,
    open_chromium,
)
from understudy.simulate.rehearsal import PartOnePerson, Returning, rehearse_return

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext


class LocalServer(NamedTuple):
    """The addresses of a served study, the headers that admit simulated people, and the log."""

    study: str
    """The address of the participant's page."""
    api: str
    door: dict[str, str]
    """The headers that admit simulated people; pages never see them."""
    log: Log


@contextmanager
def local_server(run: Run) -> Iterator[LocalServer]:
    """Serve a run to simulated people only, on a free port of this computer."""
    web = built_front_end()
    served = replace(served_from_folder(run.folder), is_rehearsal=True)
    admin_token = secrets.token_urlsafe(24)
    name = run.script.study.name
    try:
        app = create_app(
            [served], secret=secrets.token_bytes(32), admin_token=admin_token, clock=now_ms, settings=Settings(web=web)
        )
        with _hosted(app) as address:
            door = {TOKEN_HEADER: admin_token}
            yield LocalServer(f"{address}/s/{name}", f"{address}/api/s/{name}", door, served.log)
    finally:
        served.log.close()


@contextmanager
def _hosted(app: Starlette) -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", server_header=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        # Uvicorn has no event for being ready.
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            if not server.started:
                raise UnderstudyError("The server for the rehearsal did not start; its log says why.")
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


# Rehearse a run: store simulated sessions in its log, marked as synthetic.


def require_unused(run: Run, log: Log) -> None:
    """Raise an error if the log of a run already holds sessions."""
    if log.count_events():
        raise LogError(
            f"{run.folder} already holds sessions; simulated and real people are never mixed, and neither are two "
            f"rehearsals. Choose another folder, such as: --out {shlex.quote(str(free_path(run.folder)))}"
        )


class Back(NamedTuple):
    """The earlier part whose simulated people come back, and how likely each of them does."""

    folder: Path
    rate: float


def rehearse_later_part(run: Run, cast: Cast, back: Back, *, seed: int) -> int:
    """Add the sessions of simulated people who come back for a later part, and return how many did."""
    earlier = existing_run(back.folder)
    follows = follow_up_of(earlier, run)
    people = [
        PartOnePerson(summary.participant_id, summary.assignment.arrival, summary.condition, summary.last_event_ms)
        for summary in invited_sessions(earlier, run)
        if summary.participant_kind == "synthetic"
    ]
    if not people:
        raise LogError(f"{back.folder} has no simulated people who completed it; rehearse the earlier part first.")
    n_came = 0
    with only_writer(run), run.open_log() as log:
        require_unused(run, log)
        for events in rehearse_return(run.script, cast, Returning(people, follows, back.rate), seed=seed):
            log.append(events)
            n_came += 1
    return n_came


def rehearse_run(
    run: Run, cast: Cast, *, seed: int, n_people: int | None = None, on_session: Callable[[], None] = lambda: None
) -> int:
    """Add simulated sessions to an empty log and return how many people came."""
    n_sessions = 0
    # A server on the same folder would mix its participants with the simulated ones.
    with only_writer(run), run.open_log() as log:
        require_unused(run, log)
        for events in rehearse(run.script, cast, seed=seed, n_people=n_people):
            log.append(events)
            n_sessions += 1
            on_session()
    return n_sessions


# Rehearse a study in the browser, with the real player and the real server.

N_PAGES = 4
"""Pages open at the same time."""
WIDTH_PX, HEIGHT_PX = 1024, 640
"""The smallest window a study must fit."""


@dataclass(frozen=True)
class BrowserOptions:
    """The number of simulated people, their seed, and whether to show the windows."""

    n_people: int
    seed: int
    is_shown: bool = False
    watch: Watch | None = None
    """Looks at each screen before it is answered, such as to photograph it."""


class _Visitor(NamedTuple):
    context: "BrowserContext"
    session_id: str
    participant: BrowserParticipant


def rehearse_in_browser(
    run: Run,
    cast: Cast,
    options: BrowserOptions,
    *,
    environment: Mapping[str, str],
    on_session: Callable[[], None] = lambda: None,
) -> BrowserRehearsal:
    """Run simulated people through Chromium into the run's log, and return what their pages did."""
    with run.open_log() as log:
        require_unused(run, log)
    with only_writer(run), local_server(run) as server:
        rehearsal = _BrowserRehearsalRun(run, server, ready_cast(cast), options, on_session)
        _run_to_end(rehearsal.rehearse(environment))
        summaries = list(server.log.summaries(run.script.study.name))
    return BrowserRehearsal(
        study_name=run.script.study.name, seed=options.seed, width_px=WIDTH_PX, height_px=HEIGHT_PX,
        n_people=len(summaries), is_full=len(summaries) < options.n_people,
        outcomes=dict(sorted(Counter(summary.outcome or "active" for summary in summaries).items())),
        n_screens=sum(block.n_screens for block in rehearsal.notes.blocks),
        blocks=rehearsal.notes.blocks, faults=rehearsal.notes.faults,
    )  # fmt: skip


def _run_to_end(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    # A notebook already runs a loop in this thread.
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, work).result()


class _BrowserRehearsalRun:
    """One rehearsal, in which people arrive in the same waves as in memory and get the same assignments."""

    def __init__(
        self, run: Run, server: LocalServer, cast: ReadyCast, options: BrowserOptions, on_session: Callable[[], None]
    ) -> None:
        self.notes = RehearsalNotes()
        self._run = run
        self._server = server
        self._company = cast
        self._options = options
        self._on_session = on_session
        self._gate = asyncio.Semaphore(N_PAGES)

    async def rehearse(self, environment: Mapping[str, str]) -> None:
        """Send waves of people until all have come or the study is full."""
        async with open_chromium(environment, is_shown=self._options.is_shown) as browser:
            arrival = 0
            while arrival < self._options.n_people:
                wave = await self._arrivals(browser, arrival)
                if not wave:
                    return
                await asyncio.gather(*(self._play(visitor) for visitor in wave))
                arrival += len(wave)

    async def _arrivals(self, browser: "Browser", first: int) -> list[_Visitor]:
        wave: list[_Visitor] = []
        for arrival in range(first, min(first + N_AT_ONCE, self._options.n_people)):
            visitor = await self._arrive(browser, arrival)
            if visitor is None:
                break
            wave.append(visitor)
        return wave

    async def _arrive(self, browser: "Browser", arrival: int) -> _Visitor | None:
        actor = actor_for(self._run.script, self._company, seed=self._options.seed, arrival=arrival)
        # Nobody watches, so no computing goes into the frames of transitions.
        context = await browser.new_context(
            viewport={"width": WIDTH_PX, "height": HEIGHT_PX}, locale="en", reduced_motion="reduce"
        )
        # The context keeps the session cookie that the page uses; the admin token stays outside the browser.
        body = {"synthetic": True, "participant_id": person_name(arrival), "cast": actor.role.cast}
        got = await context.request.post(f"{self._server.api}/start", data=body, headers=self._server.door)
        state = await got.json()
        if "token" not in state:
            await context.close()
            if state.get("full"):
                return None
            raise UnderstudyError(f"The server admitted no simulated person: {state.get('error', got.status)}")
        session_id = str(state["token"]).partition(".")[0]
        seat = OpenSession(self._run.script, self._server.log, session_id)
        return _Visitor(context, session_id, BrowserParticipant(seat, actor, self.notes, self._options.watch))

    async def _play(self, visitor: _Visitor) -> None:
        async with self._gate:
            try:
                await visitor.participant.play(visitor.context, self._server.study)
                leaving = {"session_id": visitor.session_id}
                await visitor.context.request.post(f"{self._server.api}/leave", data=leaving, headers=self._server.door)
            finally:
                await visitor.context.close()
        self._on_session()
