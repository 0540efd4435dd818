"""The app: routes, middleware, and the background task that sweeps silent sessions."""

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

from understudy.errors import LogError
from understudy.serve import participant_routes, platform, site_routes
from understudy.serve import site_routes as connection_api
from understudy.serve import site_routes as demo_routes
from understudy.serve.desk import annotation, routes, sign_in
from understudy.serve.desk.alerts import AlertWatch
from understudy.serve.guard import Guard, response_for, security_headers
from understudy.serve.server import ServerState
from understudy.serve.settings import ServedStudy, Settings

logger = logging.getLogger("understudy.serve")

_STUDY = "/api/s/{study_name}"
_ADMIN = "/api/admin/studies"
_CODING = f"{_ADMIN}/{{study_name}}/annotation/{{scheme_id}}"


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

    `clock` stamps events; `seconds` measures silence and limits, and never jumps because nobody can set it.
    """
    server_state = ServerState(
        runs, secret=secret, admin_token=admin_token, clock=clock, seconds=seconds, settings=settings or Settings()
    )
    app = Starlette(
        routes=_preview_routes() if server_state.settings.is_preview else _routes(),
        middleware=[
            Middleware(Guard, headers=security_headers(server_state.settings.recruiters), metrics=server_state.metrics)
        ],
        exception_handlers={404: _nothing_here, 405: _nothing_here},
        lifespan=_lifespan,
    )
    # An unknown address gets a notice page instead of a redirect.
    app.router.redirect_slashes = False
    app.state.server = server_state
    return app


def close_app(app: Starlette) -> None:
    """Store pending events and close the writers of the logs."""
    app.state.server.close()


def _routes() -> list[Route]:
    # Events come first: a participant sends hundreds of them for each of everything else.
    return [
        Route(f"{_STUDY}/events", participant_routes.events, methods=["POST"]),
        Route(f"{_STUDY}/recordings", participant_routes.recordings, methods=["POST"]),
        Route(f"{_STUDY}/state", participant_routes.state, methods=["GET"]),
        Route(f"{_STUDY}/start", participant_routes.start, methods=["POST"]),
        Route(f"{_STUDY}/withdraw", participant_routes.withdraw, methods=["POST"]),
        Route(f"{_STUDY}/copy", participant_routes.copy, methods=["GET"]),
        Route(f"{_STUDY}/webhook", platform.webhook, methods=["POST"]),
        Route(f"{_STUDY}/leave", participant_routes.leave, methods=["POST"]),
        Route("/m/{study_digest}/{address}", site_routes.material),
        Route("/static/{file:path}", site_routes.static),
        Route("/s/{study_name}", site_routes.player),
        Route("/s/{study_name}/", site_routes.player),
        Route("/", demo_routes.landing),
        Route("/demo/counts", demo_routes.counts),
        Route("/demo/dashboard", demo_routes.dashboard),
        Route("/demo/report", demo_routes.report),
        Route("/api/connection", connection_api.connection, methods=["GET", "POST"]),
        Route("/healthz", site_routes.healthz),
        Route("/readyz", site_routes.readyz),
        Route("/metrics", site_routes.metrics),
        Route("/admin", sign_in.dashboard),
        Route("/api/admin/me", sign_in.sign_in_state),
        Route("/api/admin/login", sign_in.login, methods=["POST"]),
        Route("/api/admin/logout", sign_in.logout, methods=["POST"]),
        Route(_ADMIN, routes.studies),
        Route(f"{_ADMIN}/{{study_name}}/sessions", routes.sessions),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}", routes.session),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}/exclude", routes.exclude, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}/copy", routes.copy, methods=["GET"]),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}/erase", routes.erase, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/sessions/{{session_id}}/label", routes.label, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/recruitment", routes.recruitment, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/monitor", routes.monitoring),
        Route(f"{_ADMIN}/{{study_name}}/unblind", routes.unblind, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/deposits", routes.deposits, methods=["GET"]),
        Route(f"{_ADMIN}/{{study_name}}/deposits", routes.decide_deposit, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/audit", routes.audit),
        Route("/admin/annotate", sign_in.annotation_page),
        Route("/api/admin/annotation", annotation.tasks),
        Route(_CODING, annotation.coding_desk),
        Route(f"{_CODING}/units/{{unit_id}}", annotation.unit, methods=["GET"]),
        Route(f"{_CODING}/units/{{unit_id}}", annotation.give_codes, methods=["POST"]),
        Route(f"{_CODING}/units/{{unit_id}}/recordings/{{number}}", annotation.recording),
        Route(f"{_CODING}/units/{{unit_id}}/settle", annotation.settle, methods=["POST"]),
        Route(f"{_CODING}/agreement", annotation.agreement),
        Route(f"{_CODING}/book", annotation.code_book, methods=["GET"]),
        Route(f"{_CODING}/book", annotation.change_book, methods=["POST"]),
        Route(f"{_ADMIN}/{{study_name}}/report", routes.report),
        Route(f"{_ADMIN}/{{study_name}}/export", routes.export),
        *_PREVIEW,
    ]


_PREVIEW = [
    Route("/preview/{study_name}", routes.preview_page),
    Route("/api/preview/{study_name}", routes.contents),
    Route("/api/preview/{study_name}/page", routes.page),
]


def _preview_routes() -> list[Route]:
    """Return what a preview needs: without the routes of participants, nothing can be stored."""
    return [
        Route("/", routes.first_page),
        Route("/m/{study_digest}/{address}", site_routes.material),
        Route("/static/{file:path}", site_routes.static),
        Route("/healthz", site_routes.healthz),
        *_PREVIEW,
    ]


@contextlib.asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    server_state: ServerState = app.state.server
    tasks = [asyncio.create_task(_sweep(server_state)), asyncio.create_task(_follow(server_state))]
    if server_state.settings.alerts.channels:
        tasks.append(asyncio.create_task(AlertWatch(server_state, server_state.settings.alerts).keep_watch()))
    logger.info("started", extra={"fields": {"n_studies": len(server_state.studies)}})
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(server_state.close)
        logger.info("stopped")


async def _sweep(server_state: ServerState) -> None:
    while True:
        await asyncio.sleep(server_state.settings.sweep_s)
        for name, running in server_state.studies.items():
            try:
                await running.sweep()
                await routes.obey_stop_rules(running)
                await routes.record_looks(running)
                if name in server_state.news:
                    await server_state.news[name].poll()
            except Exception as error:
                # The next sweep tries again; one failure must not end the task.
                logger.exception("sweep failed", extra={"fields": {"kind": type(error).__name__}})


async def _follow(server_state: ServerState) -> None:
    """Hear of what other processes on the same database do, so that researchers find every session here."""
    shared = [running for running in server_state.studies.values() if running.served.log.is_shared]
    while shared:
        await asyncio.sleep(server_state.settings.follow_s)
        for running in shared:
            # Requests look for themselves where it matters, and report what is wrong.
            with contextlib.suppress(LogError):
                await running.catch_up()


async def _nothing_here(request: Request, error: Exception) -> Response:
    return response_for(error, request.scope)
