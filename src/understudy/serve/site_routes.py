"""Site routes: the player page, public files, and the health of the server."""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from understudy.errors import LogError
from understudy.schema.wire import DemoCounts, PlacesTaken
from understudy.schema.wire.desk import ConnectionSeen
from understudy.serve.desk.report_page import report_response
from understudy.serve.desk.sign_in import actor_of, with_pass
from understudy.serve.page_state import resumed_page
from understudy.serve.participant_routes import may_be_new, resumed_state
from understudy.serve.server import ServerState, address_of, is_local, server_state_of
from understudy.serve.settings import Demo
from understudy.serve.study import RunningStudy
from understudy.serve.wire import STYLE, Link, Refusal, bytes_of, not_found, notice_page, too_fast, written

_ROOM = 1024 * 1024
"""What has to fit on the disk: a chunk of a recording, or some hundred answers."""


async def player(request: Request) -> Response:
    """Serve the page in which a study runs."""
    server_state = server_state_of(request)
    running = server_state.studies.get(request.path_params["study_name"])
    if running is None:
        return not_found()
    if running.served.is_rehearsal and server_state.settings.demo is not None:
        return notice_page(
            403, "Simulated people only", "Only simulated people take part here; use the link of the study itself."
        )
    name = page_name(running.study.language, server_state.web.__contains__)
    # People who are in the middle of the study, or cannot take part, must not see its first page for a moment.
    if name in server_state.web and await may_be_new(request, server_state, running):
        page_with_start = server_state.first_page(running, name)
        if page_with_start is not None:
            return page_with_start.response(request)
    shell = server_state.web.text(name)
    resumed = None if shell is None else await resumed_state(request, server_state, running)
    if shell is not None and resumed is not None:
        return resumed_page(shell, resumed)
    page = await server_state.web.response(name, request, cache="no-cache")
    return page or notice_page(503, "Not ready yet", "The front end is not built. If you run this server: make web.")


def page_name(language: str, is_there: Callable[[str], bool]) -> str:
    """Return the page whose first words, before any script has come, are in a language; English for languages without one."""
    translated = f"player.{language.lower().partition('-')[0]}.html"
    return translated if is_there(translated) else "player.html"


async def material(request: Request) -> Response:
    """Serve a public file of a study by its content address."""
    shelf = server_state_of(request).assets.get(request.path_params["study_digest"])
    response = await shelf.response(request.path_params["address"], request) if shelf else None
    return response or not_found()


async def static(request: Request) -> Response:
    """Serve a file of the built front end."""
    name = request.path_params["file"]
    is_page = name.endswith((".html", "BUILD.json"))
    caching = {"cache": "no-cache"} if name == STYLE else {}
    response = None if is_page else await server_state_of(request).web.response(name, request, **caching)
    return response or not_found()


async def healthz(_: Request) -> Response:
    """Say that the process is up."""
    return PlainTextResponse("ok\n")


async def readyz(request: Request) -> Response:
    """Say whether events can be stored, by writing to every log and into every run folder."""
    server_state = server_state_of(request)
    try:
        folders = {running.served.people.parent for running in server_state.studies.values()}
        # Anybody may ask, and a disk should not be kept busy by it: who asks too often hears what was found last.
        if server_state.probe_limit.allows(""):
            server_state.no_room = await asyncio.to_thread(_no_room_in, folders)
        for writer in server_state.writers:
            await asyncio.wrap_future(writer.submit([]))
        for log in {running.served.log for running in server_state.studies.values()}:
            await asyncio.to_thread(log.check_writable)
    except LogError:
        return PlainTextResponse("the event log cannot be written\n", 503)
    if server_state.no_room is not None:
        return PlainTextResponse(f"the run folder cannot be written: {server_state.no_room}\n", 503)
    return PlainTextResponse("ready\n")


def _no_room_in(folders: Iterable[Path]) -> str | None:
    """Write a file of some size and delete it: a log may find room in a file that it has, on a disk that is full."""
    try:
        for folder in folders:
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(_ROOM))
                probe.flush()
                os.fsync(probe.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return None


async def metrics(request: Request) -> Response:
    """Show the numbers to this machine and to researchers."""
    server_state = server_state_of(request)
    if not is_local(request) and await actor_of(request, server_state) is None:
        raise Refusal(401, "Metrics are for this machine, or for requests with the admin token as a bearer.")
    return PlainTextResponse(server_state.metrics.text(_gauges(server_state)), media_type="text/plain; version=0.0.4")


def _gauges(server_state: ServerState) -> Iterator[tuple[str, str, float]]:
    for name, running in server_state.studies.items():
        places = running.ledger.places()
        yield "sessions_active", name, sum(place.n_active for place in places)
        yield "sessions_completed", name, sum(place.n_completed for place in places)
        yield "sessions_assigned", name, sum(place.n_assigned for place in places)
        yield "events_stored", name, running.n_events


# Routes of the demo: a landing page, and a dashboard and report that need no password on the local machine.

_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
_BACK = Link("/", "Back to the demo page")
_FEWEST = 2
"""Completed sessions in each condition before a report can say anything."""


class _DemoStudies(NamedTuple):
    server_state: ServerState
    demo: Demo

    def people(self) -> RunningStudy:
        return self.server_state.studies[self.demo.people]

    def simulated(self) -> RunningStudy:
        return self.server_state.studies[self.demo.simulated]


async def landing(request: Request) -> Response:
    """Show the landing page, if there is a demo."""
    server_state = server_state_of(request)
    if server_state.settings.demo is None:
        return not_found()
    studies = _DemoStudies(server_state, server_state.settings.demo)
    page = server_state.web.text("landing.html")
    if page is None:
        return notice_page(503, "Not ready yet", "The front end is not built. If you run this server: make web.")
    study = studies.people().study
    texts = {"title": study.shown_title, "lead": studies.demo.lead, "people": studies.demo.people}
    for name, text in texts.items():
        page = page.replace(f"{{{{{name}}}}}", escape(text))
    return Response(page, headers={"Cache-Control": "no-store"}, media_type="text/html")


async def counts(request: Request) -> Response:
    """Count people and simulated people who have taken part so far, separately."""
    demo = _opened(request)
    now = DemoCounts(simulated=_counted(demo.simulated()), people=_counted(demo.people()))
    return Response(written(now), headers={"Cache-Control": "no-store"}, media_type="application/json")


async def dashboard(request: Request) -> Response:
    """Let the visitor into the dashboard."""
    return await with_pass(RedirectResponse("/admin", status_code=303), request, _opened(request).server_state)


async def report(request: Request) -> Response:
    """Show the report of the simulated people so far."""
    running = _opened(request).simulated()
    if min(place.n_completed for place in running.ledger.places()) < _FEWEST:
        return _not_yet("The first simulated people are still taking part. This page reloads by itself.")
    return await report_response(running, request, _BACK)


def _opened(request: Request) -> _DemoStudies:
    server_state = server_state_of(request)
    if server_state.settings.demo is None:
        raise Refusal(404, "This server shows no demo; understudy demo starts one.")
    require_this_machine(request, "The demo is open only to the machine it runs on; use understudy serve for others.")
    return _DemoStudies(server_state, server_state.settings.demo)


def require_this_machine(request: Request, sentence: str) -> None:
    """Refuse requests from other machines, and those under another site's name for this address (DNS rebinding)."""
    if not is_local(request) or (request.url.hostname or "") not in _LOCAL_NAMES:
        raise Refusal(403, sentence)


def _counted(running: RunningStudy) -> PlacesTaken:
    places = running.ledger.places()
    return PlacesTaken(
        completed=sum(place.n_completed for place in places),
        active=sum(place.n_active for place in places),
        wanted=sum(place.quota for place in places),
    )


def _not_yet(sentence: str) -> Response:
    page = notice_page(200, "The report will be ready in a moment", sentence, link=_BACK)
    page.headers["Refresh"] = "3"
    return page


# The route by which `understudy doctor` sees what a proxy makes of a request.

COOKIE = "understudy_check"
_LARGEST = 1024 * 1024
"""As large as a chunk of a voice recording."""


async def connection(request: Request) -> Response:
    """Tell a client how its request arrived, and set a cookie as participants and researchers get it."""
    server_state = server_state_of(request)
    if not server_state.arrival_limit.allows(address_of(request)):
        raise too_fast()
    body = await bytes_of(request, _LARGEST, "A request of this size is not needed to examine a connection.")
    seen = ConnectionSeen(
        scheme=request.url.scheme,
        address=address_of(request),
        is_forwarded="x-forwarded-for" in request.headers,
        at_ms=server_state.now_ms(),
        time_zone=os.environ.get("TZ", "").removeprefix(":"),
        utc_offset_min=(time.localtime().tm_gmtoff or 0) // 60,
        has_token="authorization" in request.headers,
        n_bytes=len(body),
    )
    response = Response(seen.model_dump_json(), headers={"Cache-Control": "no-store"}, media_type="application/json")
    response.set_cookie(
        COOKIE, "1", max_age=60, path="/api/connection", httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return response
