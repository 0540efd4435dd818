"""Hosting: serve the app on a port until it is interrupted."""

import contextlib
import gc
import os
import signal
import socket
from collections.abc import Mapping, Sequence

import uvicorn
from starlette.applications import Starlette

from understudy.serve.connections import DeadlineProtocol, most_connections
from understudy.serve.logs import log_as_json

_PATIENCE_S = 20
"""How long requests in flight may take to finish after the server was asked to stop."""

_SAME_MACHINE = ("127.0.0.1", "::1")
"""Where a proxy is unless somebody says otherwise."""
_FIRST_INHERITED = 3
"""The first file descriptor that systemd hands over."""


def inherited_socket(environment: Mapping[str, str]) -> socket.socket | None:
    """Return the socket that systemd listens on for this process, None if there is none.

    Nobody is refused while the server restarts: systemd keeps the port open, and requests wait.
    """
    if environment.get("LISTEN_PID") != str(os.getpid()) or environment.get("LISTEN_FDS", "0") == "0":
        return None
    return socket.socket(fileno=_FIRST_INHERITED)


def listening_at(host: str, port: int) -> socket.socket:
    """Listen on an address, so that requests wait for the server from now on instead of being refused."""
    # The protocol is named, since asyncio disables Nagle's algorithm only for sockets explicitly marked as TCP.
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def host_app(
    app: Starlette, *, host: str, port: int, log_level: str = "info", listening: socket.socket | None = None,
    proxies: Sequence[str] = (),
) -> None:  # fmt: skip
    """Serve until interrupted; requests in flight are finished and events handed over are stored.

    With a socket that already listens, early requests wait instead of being refused. `proxies` are the addresses and
    networks whose word about clients is believed.
    """
    log_as_json(log_level)
    # Without uvicorn's access log, which would contain the addresses of participants.
    config = uvicorn.Config(
        app, host=host, port=port, log_config=None, access_log=False, lifespan="on", server_header=False,
        timeout_graceful_shutdown=_PATIENCE_S, timeout_keep_alive=75, http=DeadlineProtocol,
        limit_concurrency=most_connections(), forwarded_allow_ips=list(proxies or _SAME_MACHINE),
    )  # fmt: skip
    # What was loaded so far stays until the end, so the garbage collector need not look through it again and again:
    # nobody is answered while it does.
    gc.freeze()
    # uvicorn stops gracefully and then raises the signal once more; the caller still has logs to close.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run([listening] if listening else None)
