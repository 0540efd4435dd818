"""Socket: just enough of a WebSocket to send texts to a server on this machine and hear its answers."""

import asyncio
import struct

_TEXT, _CLOSE = 0x1, 0x8
_MASK = b"\x00\x00\x00\x00"
"""A mask is required and hides nothing here; zeros leave the text as it is."""


class Socket:
    """One open WebSocket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def to(cls, address: str, path: str) -> "Socket":
        """Open a socket, or say how the server refused it."""
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dW5kZXJzdHVkeS1iZW5jaA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise ConnectionError(head.split(b"\r\n", 1)[0].decode())
        return cls(reader, writer)

    async def send(self, text: str) -> None:
        """Send one text."""
        data = text.encode()
        size = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0x80 | 126, len(data))
        self._writer.write(bytes([0x80 | _TEXT]) + size + _MASK + data)
        await self._writer.drain()

    async def receive(self) -> str:
        """Wait for the next text."""
        while True:
            first, second = await self._reader.readexactly(2)
            size = second & 0x7F
            if size >= 126:
                size = int.from_bytes(await self._reader.readexactly(2 if size == 126 else 8), "big")
            data = await self._reader.readexactly(size)
            if first & 0xF == _TEXT:
                return data.decode()
            if first & 0xF == _CLOSE:
                raise ConnectionError("The server closed the socket.")

    def close(self) -> None:
        """Hang up without ceremony."""
        self._writer.close()
