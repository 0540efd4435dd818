"""Rehearse a study in the browser, with the real player and the real server."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from understudy.errors import UnderstudyError
from understudy.schema import Cast
from understudy.simulate import N_AT_ONCE, ReadyCast, actor_for, person_name, ready_cast
from understudy.workflow.browser.browser_participant import BrowserParticipant, OpenSession, Watch
from understudy.workflow.browser.chromium import open_chromium
from understudy.workflow.browser.local_server import LocalServer, local_server
from understudy.workflow.browser.notes import BrowserRehearsal, RehearsalNotes
from understudy.workflow.runs.rehearsal import require_unused
from understudy.workflow.runs.run_folder import Run, only_writer

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext

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
