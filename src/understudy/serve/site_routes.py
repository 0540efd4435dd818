"""Site routes: the player page, public files, and the health of the server."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from understudy.errors import LogError
from understudy.serve.desk.admin_login import actor_of
from understudy.serve.first_page import resumed_page
from understudy.serve.pages import STYLE, not_found, notice_page
from understudy.serve.participant_api import may_be_new, resumed_state
from understudy.serve.refusals import Refusal
from understudy.serve.server_state import ServerState, is_local, server_state_of

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
