"""Rehearsal in the browser: simulated people take part in the real player, through the real server."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from understudy.errors import UnderstudyError
from understudy.record import claimed
from understudy.schema import Cast
from understudy.simulate import N_AT_ONCE, Company, actor_for, company_from_cast, person_name
from understudy.workflow.browser.chromium import open_chromium
from understudy.workflow.browser.local_server import LocalServer, local_server
from understudy.workflow.browser.notes import BrowserRehearsal, Notes
from understudy.workflow.browser.stand_in import Seat, StandIn
from understudy.workflow.rehearsal import require_unused
from understudy.workflow.run_folder import Run

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext

N_PAGES = 4
"""How many pages are open at the same time."""
WIDTH_PX, HEIGHT_PX = 1024, 640
"""The smallest window a study must fit."""


@dataclass(frozen=True)
class BrowserOptions:
    """How many simulated people come, drawn with which seed, and whether the windows are seen."""

    n_people: int
    seed: int
    is_shown: bool = False


class _Guest(NamedTuple):
    context: "BrowserContext"
    session_id: str
    stand_in: StandIn


def rehearse_in_browser(
    run: Run,
    cast: Cast,
    options: BrowserOptions,
    *,
    environment: Mapping[str, str],
    on_session: Callable[[], None] = lambda: None,
) -> BrowserRehearsal:
    """Play simulated people into the run's log through Chromium, and say what their pages did."""
    with run.open_log() as log:
        require_unused(run, log)
    with claimed(run.folder), local_server(run) as server:
        house = _House(run, server, company_from_cast(cast), options, on_session)
        _run_to_end(house.rehearse(environment))
        summaries = list(server.log.summaries(run.script.study.name))
    return BrowserRehearsal(
        study_name=run.script.study.name, seed=options.seed, width_px=WIDTH_PX, height_px=HEIGHT_PX,
        n_people=len(summaries), is_full=len(summaries) < options.n_people,
        outcomes=dict(sorted(Counter(one.outcome or "active" for one in summaries).items())),
        n_screens=sum(one.n_screens for one in house.notes.blocks),
        blocks=house.notes.blocks, faults=house.notes.faults,
    )  # fmt: skip


def _run_to_end(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    # A notebook has a loop of its own in this thread.
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, work).result()


class _House:
    """One rehearsal: people arrive in the same waves as in memory, so that both deal the same places."""

    def __init__(
        self, run: Run, server: LocalServer, company: Company, options: BrowserOptions, on_session: Callable[[], None]
    ) -> None:
        self.notes = Notes()
        self._run = run
        self._server = server
        self._company = company
        self._options = options
        self._on_session = on_session
        self._gate = asyncio.Semaphore(N_PAGES)

    async def rehearse(self, environment: Mapping[str, str]) -> None:
        """Send wave after wave until all have come, or the study is full."""
        async with open_chromium(environment, is_shown=self._options.is_shown) as browser:
            arrival = 0
            while arrival < self._options.n_people:
                wave = await self._arrivals(browser, arrival)
                if not wave:
                    return
                await asyncio.gather(*(self._play(guest) for guest in wave))
                arrival += len(wave)

    async def _arrivals(self, browser: "Browser", first: int) -> list[_Guest]:
        wave: list[_Guest] = []
        for arrival in range(first, min(first + N_AT_ONCE, self._options.n_people)):
            guest = await self._arrive(browser, arrival)
            if guest is None:
                break
            wave.append(guest)
        return wave

    async def _arrive(self, browser: "Browser", arrival: int) -> _Guest | None:
        actor = actor_for(self._run.script, self._company, seed=self._options.seed, arrival=arrival)
        context = await browser.new_context(viewport={"width": WIDTH_PX, "height": HEIGHT_PX}, locale="en")
        # The context keeps the session's cookie, and the page goes on with it; the token stays out here.
        body = {"synthetic": True, "participant_id": person_name(arrival), "cast": actor.role.cast}
        got = await context.request.post(f"{self._server.api}/start", data=body, headers=self._server.door)
        told = await got.json()
        if "token" not in told:
            await context.close()
            if told.get("full"):
                return None
            raise UnderstudyError(f"The server let no simulated person in: {told.get('error', got.status)}")
        session_id = str(told["token"]).partition(".")[0]
        seat = Seat(self._run.script, self._server.log, session_id)
        return _Guest(context, session_id, StandIn(seat, actor, self.notes))

    async def _play(self, guest: _Guest) -> None:
        async with self._gate:
            try:
                await guest.stand_in.play(guest.context, self._server.study)
                leaving = {"session_id": guest.session_id}
                await guest.context.request.post(f"{self._server.api}/leave", data=leaving, headers=self._server.door)
            finally:
                await guest.context.close()
        self._on_session()
