"""Rooms without a participant's data: shells, files, and how the server is."""

import asyncio
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from understudy.errors import LogError
from understudy.serve.admin_door import is_admin
from understudy.serve.pages import STYLE, not_found, notice_page
from understudy.serve.refusals import Refusal
from understudy.serve.server_state import ServerState, is_local, server_state_of


async def player(request: Request) -> Response:
    """Show the shell in which a study runs."""
    server_state = server_state_of(request)
    running = server_state.studies.get(request.path_params["study_name"])
    if running is None:
        return not_found()
    if running.served.is_rehearsal and server_state.settings.demo is not None:
        return notice_page(
            403, "Simulated people only", "Nobody else takes part here; use the link of the study itself."
        )
    page = await server_state.web.response("player.html", request, cache="no-cache")
    return page or notice_page(503, "Not ready yet", "The front end is not built; whoever runs the server: make web.")


async def material(request: Request) -> Response:
    """Serve a public file of a study by its content address."""
    shelf = server_state_of(request).assets.get(request.path_params["study_digest"])
    found = await shelf.response(request.path_params["address"], request) if shelf else None
    return found or not_found()


async def static(request: Request) -> Response:
    """Serve a file of the built front end."""
    name = request.path_params["file"]
    is_page = name.endswith((".html", "BUILD.json"))
    caching = {"cache": "no-cache"} if name == STYLE else {}
    found = None if is_page else await server_state_of(request).web.response(name, request, **caching)
    return found or not_found()


async def healthz(_: Request) -> Response:
    """Say that the process is up."""
    return PlainTextResponse("ok\n")


async def readyz(request: Request) -> Response:
    """Say whether events can be stored, by storing nothing in every log."""
    server_state = server_state_of(request)
    try:
        for writer in server_state.writers:
            await asyncio.wrap_future(writer.submit([]))
        for log in {running.served.log for running in server_state.studies.values()}:
            await asyncio.to_thread(log.check_writable)
    except LogError:
        return PlainTextResponse("the event log cannot be written\n", 503)
    return PlainTextResponse("ready\n")


async def metrics(request: Request) -> Response:
    """Show the numbers to this machine and to researchers."""
    server_state = server_state_of(request)
    if not (is_local(request) or is_admin(request, server_state)):
        raise Refusal(401, "Metrics are for this machine, or for whoever sends the admin token as a bearer.")
    return PlainTextResponse(server_state.metrics.text(_gauges(server_state)), media_type="text/plain; version=0.0.4")


def _gauges(server_state: ServerState) -> Iterator[tuple[str, str, float]]:
    for name, running in server_state.studies.items():
        places = running.ledger.places()
        yield "sessions_active", name, sum(one.n_active for one in places)
        yield "sessions_completed", name, sum(one.n_completed for one in places)
        yield "sessions_assigned", name, sum(one.n_assigned for one in places)
        yield "events_stored", name, running.n_events
