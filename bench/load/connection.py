"""Connection: one kept-alive HTTP connection, read with as little work as possible."""

import asyncio
import socket
from typing import NamedTuple


class Answer(NamedTuple):
    """What a server said."""

    status: int
    head: bytes
    body: bytes

    def header(self, name: str) -> str:
        """Return the value of a header, given in lower case; empty when absent."""
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.encode():
                return value.strip().decode("latin-1")
        return ""


class Connection:
    """Asks one thing at a time, and dials again when the server has hung up meanwhile, as a browser does."""

    def __init__(self, address: str) -> None:
        self._host, _, port = address.partition(":")
        self._port = int(port)
        self._wire: _Wire | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", headers: str = "") -> Answer:
        """Send a request and return the whole answer."""
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}{length}\r\n"
        request = head.encode("latin-1") + body
        if self._wire is not None and self._wire.is_open:
            try:
                return await self._wire.ask(request)
            except ConnectionError:
                pass  # it was just being closed; a fresh connection decides
        _, self._wire = await asyncio.get_running_loop().create_connection(_Wire, self._host, self._port)
        return await self._wire.ask(request)

    def close(self) -> None:
        """Hang up."""
        if self._wire is not None:
            self._wire.close()


class _Wire(asyncio.Protocol):
    """One connection; a reader of streams would cost twice as much."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answer] | None = None
        self._received = bytearray()

    @property
    def is_open(self) -> bool:
        """Whether the server has not hung up."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes) -> Answer:
        """Send a request and wait for its answer."""
        if self._transport is None:
            raise ConnectionError("The connection is not open.")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiting

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; small requests must not wait for each other."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        """Hand an answer over once it is whole."""
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0 or self._waiting is None:
            return
        head = bytes(self._received[:end])
        body = _whole_body(head.lower(), self._received, end + 4)
        if body is None:
            return
        self._received.clear()
        waiting, self._waiting = self._waiting, None
        waiting.set_result(Answer(int(head[9:12]), head, body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everyone who waits that nothing will come."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionError("The server hung up."))


def _whole_body(head: bytes, received: bytearray, start: int) -> bytes | None:
    """Return a body that has arrived whole, None as long as some is missing."""
    at = head.find(b"content-length:")
    if at >= 0:
        end = start + int(head[at + 15 :].split(b"\r\n", 1)[0])
        return bytes(received[start:end]) if len(received) >= end else None
    if b"transfer-encoding: chunked" not in head:
        return b""
    parts: list[bytes] = []
    while True:
        line = received.find(b"\r\n", start)
        size = int(received[start:line], 16) if line >= 0 else 0
        if line < 0 or len(received) < line + 2 + size + 2:
            return None
        if size == 0:
            return b"".join(parts)
        parts.append(bytes(received[line + 2 : line + 2 + size]))
        start = line + 2 + size + 2
