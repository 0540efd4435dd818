"""The app: routes, guard and the care a server takes while it runs."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from understudy.serve import admin_api, admin_door, demo_door, participant_api, recording_api, rooms, synthetic_door
from understudy.serve.guard import Guard, response_for, security_headers
from understudy.serve.served import ServedStudy, Settings
from understudy.serve.server_state import ServerState

logger = logging.getLogger("understudy.serve")

_STUDY = "/api/s/{study_name}"
_ADMIN = "/api/admin/studies"


def create_app(
    runs: Sequence[ServedStudy],
    *,
    secret: bytes,
    admin_token: str,
    clock: Callable[[], int],
    seconds: Callable[[], float] = time.monotonic,
    settings: Settings | None = None,
) -> Starlette:
    """Return the server of some studies; call `close_app` when it is run without its lifespan.

    `clock` stamps events, `seconds` measures silence and limits: nobody sets it, so it never jumps.
    """
    server_state = ServerState(
        runs, secret=secret, admin_token=admin_token, clock=clock, seconds=seconds, settings=settings or Settings()
    )
    app = Starlette(
        routes=_routes(),
        middleware=[
            Middleware(Guard, headers=security_headers(server_state.settings.recruiters), metrics=server_state.metrics)
        ],
        exception_handlers={404: _nothing_here, 405: _nothing_here},
        lifespan=_lifespan,
    )
    app.router.redirect_slashes = False
    app.state.server = server_state
    return app


def close_app(app: Starlette) -> None:
    """Store what was handed over and let the logs' writers go."""
    app.state.server.close()


def _routes() -> list[Route]:
    # Events come first: a participant sends hundreds of them for each of everything else.
    return [
        Route(f"{_STUDY}/events", participant_api.events, methods=["POST"]),
        Route(f"{_STUDY}/recordings", recording_api.recordings, methods=["POST"]),
        Route(f"{_STUDY}/state", participant_api.state, methods=["GET"]),
        Route(f"{_STUDY}/start", participant_api.start, methods=["POST"]),
        Route(f"{_STUDY}/withdraw", participant_api.withdraw, methods=["POST"]),
        Route(f"{_STUDY}/leave", synthetic_door.leave, methods=["POST"]),
        Route("/m/{study_digest}/{address}", rooms.material),
        Route("/static/{file:path}", rooms.static),
        Route("/s/{study_name}", rooms.player),
        Route("/s/{study_name}/", rooms.player),
        Route("/", demo_door.landing),
        Route("/demo/counts", demo_door.counts),
        Route("/demo/dashboard", demo_door.dashboard),
        Route("/demo/report", demo_door.report),
        Route("/healthz", rooms.healthz),
        Route("/readyz", rooms.readyz),
        Route("/metrics", rooms.metrics),
        Route("/admin", admin_door.dashboard),
        Route("/api/admin/login", admin_door.login, methods=["POST"]),
        Route("/api/admin/logout", admin_door.logout, methods=["POST"]),
        Route(_ADMIN, admin_api.studies),
        Route(f"{_ADMIN}/{{study_name}}/sessions", admin_api.sessions),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}", admin_api.session),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}/exclude", admin_api.exclude, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/report", admin_api.report),
        Route(f"{_ADMIN}/{{study_name}}/export", admin_api.export),
    ]


@contextlib.asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    server_state: ServerState = app.state.server
    sweeper = asyncio.create_task(_sweep(server_state))
    logger.info("started", extra={"fields": {"n_studies": len(server_state.studies)}})
    try:
        yield
    finally:
        sweeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeper
        await asyncio.to_thread(server_state.close)
        logger.info("stopped")


async def _sweep(server_state: ServerState) -> None:
    while True:
        await asyncio.sleep(server_state.settings.sweep_s)
        for running in server_state.studies.values():
            try:
                await running.sweep()
            except Exception as error:
                # The next round tries again; an arrival must not wait for this one.
                logger.exception("sweep failed", extra={"fields": {"kind": type(error).__name__}})


async def _nothing_here(request: Request, error: Exception) -> Response:
    return response_for(error, request.scope)
