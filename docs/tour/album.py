"""Album: pictures by name, and the page that shows them in the order of their captions."""

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from tour.captions import CAPTIONS, INTRODUCTION
from understudy.errors import UnderstudyError

if TYPE_CHECKING:
    from playwright.async_api import Page

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Album:
    """Takes pictures; each must have a caption, and every caption a picture before the page is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = [name for section in CAPTIONS.values() for name in section]
        self._taken: set[str] = set()

    async def take(self, page: "Page", name: str, *, part: str = "") -> None:
        """Take one picture of what the window shows, or of one part of the page."""
        if name not in self._names:
            raise UnderstudyError(f"The picture {name!r} has no caption; write one in docs/tour/captions.py.")
        await page.evaluate("document.fonts.ready")
        await page.mouse.move(0, 0)
        seen = page.locator(part) if part else page
        shot = await seen.screenshot(animations="disabled", caret="hide")
        (self._folder / f"{name}.png").write_bytes(packed(shot))
        self._taken.add(name)

    def finish(self) -> str:
        """Remove pictures that nobody took this time, and return the page."""
        missing = [name for name in self._names if name not in self._taken]
        if missing:
            raise UnderstudyError(f"These captions have no picture: {', '.join(missing)}.")
        for path in self._folder.glob("*.png"):
            if path.stem not in self._taken:
                path.unlink()
        return page_text()


def page_text() -> str:
    """Write the page: one heading for each part of the tour, one line for each picture."""
    parts = [INTRODUCTION]
    for section, captions in CAPTIONS.items():
        parts.append(f"## {section}")
        parts += [f"{caption}\n\n![{caption}](screens/{name}.png)" for name, caption in captions.items()]
    return "\n\n".join(parts) + "\n"


def packed(picture: bytes) -> bytes:
    """Press a picture harder than a browser takes the time for; not a point of it changes."""
    chunks: list[tuple[bytes, bytes]] = []
    at = len(_SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        chunks.append((picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]))
        at += length + 12
    points = zlib.compress(zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT")), 9)
    header = next(body for name, body in chunks if name == b"IHDR")
    return _SIGNATURE + b"".join(_chunk(*chunk) for chunk in ((b"IHDR", header), (b"IDAT", points), (b"IEND", b"")))


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
