"""Hosting: serve the app on a port until it is interrupted."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from typing import ClassVar

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from understudy.serve.guard import log_as_json

# Connections: how long a client may take to say what it wants, how much of it nobody reads, and how many may be open.

try:
    import resource
except ImportError:  # Windows sets no limit that a process could ask for
    resource = None  # type: ignore[assignment]

_MOST = 4096
_RESERVED = 128
"""File descriptors left for logs, files and the database."""


class DeadlineProtocol(H11Protocol):
    """HTTP that closes a connection whose request line and headers do not arrive in time, or whose body nobody wants.

    uvicorn limits only the silence between two requests; a client that sends one byte a minute would hold a connection
    for as long as it likes. And it reads a body to its end that was answered before, such as one that is too long.
    """

    header_s: ClassVar[float] = 10.0
    unwanted_bytes: ClassVar[int] = 1024 * 1024
    """Read after the answer, so that a client whose body is a little too long gets the answer and not a reset."""
    _n_unwanted = 0
    _waiting_since_s: float | None = None
    _look: asyncio.TimerHandle | None = None
    """When it is looked whether a request is late; it stays over many requests, since each timer costs time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Pass data on; the wait ends when the headers are complete."""
        self._expect()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
            self._n_unwanted = 0
        elif self.conn.their_state is h11.SEND_BODY:
            self._n_unwanted += len(data)
            if self._n_unwanted > self.unwanted_bytes and not self.transport.is_closing():
                self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop_waiting()
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self._waiting_since_s is None:
            self._waiting_since_s = self.loop.time()
            if self._look is None:
                self._look = self.loop.call_at(self._waiting_since_s + self.header_s, self._close_if_late)

    def _stop_waiting(self) -> None:
        self._waiting_since_s = None

    def _close_if_late(self) -> None:
        self._look = None
        if self._waiting_since_s is None:
            return
        late_s = self._waiting_since_s + self.header_s
        if self.loop.time() < late_s:
            self._look = self.loop.call_at(late_s, self._close_if_late)
        elif not self.transport.is_closing():
            self.transport.close()


def most_connections() -> int:
    """Return how many connections may be open, after asking the operating system for as many as it allows."""
    if resource is None:
        return _MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST + _RESERVED if hard == resource.RLIM_INFINITY else min(_MOST + _RESERVED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Usual is 1,024, which a thousand browsers behind one address use up.
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return _MOST if soft == resource.RLIM_INFINITY else max(64, min(_MOST, soft - _RESERVED))


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
