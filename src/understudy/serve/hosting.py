"""Hosting: serve the app on a port until it is interrupted."""

import contextlib
import signal
import socket

import uvicorn
from starlette.applications import Starlette

from understudy.serve.connections import DeadlineProtocol, most_connections
from understudy.serve.logs import log_as_json

_PATIENCE_S = 20
"""How long requests in flight may take to finish after the server was asked to stop."""


def host_app(
    app: Starlette, *, host: str, port: int, log_level: str = "info", listening: socket.socket | None = None
) -> None:
    """Serve until interrupted; requests in flight are finished and events handed over are stored.

    With a socket that already listens, early requests wait instead of being refused.
    """
    log_as_json(log_level)
    # Without uvicorn's access log, which would contain the addresses of participants.
    config = uvicorn.Config(
        app, host=host, port=port, log_config=None, access_log=False, lifespan="on", server_header=False,
        timeout_graceful_shutdown=_PATIENCE_S, timeout_keep_alive=75, http=DeadlineProtocol,
        limit_concurrency=most_connections(),
    )  # fmt: skip
    # uvicorn stops gracefully and then raises the signal once more; the caller still has logs to close.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run([listening] if listening else None)
