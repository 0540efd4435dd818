"""Files: public materials and the built front end, under names that never change their content."""

import gzip
import mimetypes
import os
import struct
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from understudy.errors import MaterialsError
from understudy.schema import ResponseGiven, Trial
from understudy.schema.events import TOLERANCE_MS

_FOREVER = "public, max-age=31536000, immutable"
_TEXTS = ("text/", "application/json", "application/javascript", "image/svg", "application/wasm", "font/")
_LARGEST_PACKED = 32 * 1024 * 1024
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json",
          ".wasm": "application/wasm", ".woff2": "font/woff2", ".onnx": "application/octet-stream"}  # fmt: skip


class _Held(NamedTuple):
    path: Path
    type: str
    is_text: bool


class Shelf:
    """A fixed set of files by name; a name that is not on it reaches nothing."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        missing = [name for name, path in files.items() if not path.is_file()]
        if missing:
            raise MaterialsError(f"{missing[0]} is missing from the public files. Prepare the study again.")
        self._held = {name: _held(path) for name, path in files.items()}
        self._packed: dict[str, bytes] = {}

    def __contains__(self, name: object) -> bool:
        """Tell whether a name is on the shelf."""
        return name in self._held

    def text(self, name: str) -> str | None:
        """Return the text of a file, or None for a name that is not here."""
        held = self._held.get(name)
        return held.path.read_text(encoding="utf-8") if held else None

    async def response(self, name: str, request: Request, *, cache: str = _FOREVER) -> Response | None:
        """Return a file, packed where that helps, or None for a name that is not here."""
        held = self._held.get(name)
        if held is None:
            return None
        etag = f'"{name}"'
        headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
        if cache == _FOREVER:
            headers["ETag"] = etag
            if etag in request.headers.get("if-none-match", ""):
                return Response(status_code=304, headers=headers)
        if held.is_text and "gzip" in request.headers.get("accept-encoding", "") and "range" not in request.headers:
            if name not in self._packed:
                self._packed[name] = await run_in_threadpool(_packed, held.path)
            return Response(
                self._packed[name], headers={**headers, "Content-Encoding": "gzip"}, media_type=held.type
            )  # fmt: skip
        return FileResponse(held.path, headers=headers, media_type=held.type)


def web_shelf(web: Path | None) -> Shelf:
    """Return the built front end; scripts and styles answer with and without the folder they lie in."""
    if web is None or not web.is_dir():
        return Shelf({})
    inside = {path.relative_to(web).as_posix(): path for path in sorted(web.rglob("*")) if path.is_file()}
    short = {name.removeprefix("assets/"): path for name, path in inside.items() if name.startswith("assets/")}
    return Shelf({**short, **inside})


def _held(path: Path) -> _Held:
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = kind.startswith(_TEXTS) and path.stat().st_size <= _LARGEST_PACKED
    return _Held(path, kind, is_text)


def _packed(path: Path) -> bytes:
    found = path.stat()
    return _packed_once(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=32)
def _packed_once(path: Path, _changed_ns: int, _n_bytes: int) -> bytes:
    """Pack a file for all servers of this process: the runtime of live models alone takes a second."""
    return gzip.compress(path.read_bytes(), compresslevel=9, mtime=0)


# Film time: how long the films of a study run, so that nobody claims to have watched one faster than it plays.

_HEAD_BYTES = 64 * 1024
_FASTEST = 2.0
"""The highest speed that players offer, where the study lets people choose one."""


class Film(NamedTuple):
    """A film on a page."""

    seconds: float
    is_at_own_speed: bool
    """Whether the page plays it at its own speed only."""


def films_of(trials: Mapping[str, Trial], assets: Path) -> dict[str, Film]:
    """Return the films whose length their files tell, by trial."""
    films: dict[str, Film] = {}
    for trial_id, trial in trials.items():
        asset = trial.params.get("asset")
        if trial.task == "video" and isinstance(asset, str):
            seconds = film_seconds(assets / asset)
            if seconds is not None:
                films[trial_id] = Film(seconds, bool(trial.params.get("must_end", True)))
    return films


def film_fault(film: Film, event: ResponseGiven, *, sent_ms: int) -> str | None:
    """Say that a film cannot have played that far since its page was sent; None if it can."""
    share = event.response.get("watched_share")
    if event.received_ms is None or not isinstance(share, int | float):
        return None
    speed = 1.0 if film.is_at_own_speed else _FASTEST
    played_s = (event.received_ms - sent_ms + TOLERANCE_MS) / 1000 * speed
    if share * film.seconds <= played_s:
        return None
    return f"The film runs for {film.seconds:.0f} seconds and cannot have played so far yet; watch it to the end."


def film_seconds(path: Path) -> float | None:
    """Return the length that an MP4 or WebM file states; None if it states none."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
            return _of_webm(head) if head.startswith(b"\x1a\x45\xdf\xa3") else _of_mp4(stream)
    except (OSError, struct.error):
        return None


def _of_webm(head: bytes) -> float | None:
    # EBML: the element Duration (44 89) is a float in units of TimestampScale (2A D7 B1) nanoseconds.
    at = head.find(b"\x44\x89")
    size = head[at + 2] & 0x7F if 0 <= at < len(head) - 10 else 0
    if size not in (4, 8):
        return None
    units = struct.unpack_from(">f" if size == 4 else ">d", head, at + 3)[0]
    scale_at = head.find(b"\x2a\xd7\xb1")
    n_bytes = head[scale_at + 3] & 0x7F if scale_at >= 0 else 0
    scale_ns = int.from_bytes(head[scale_at + 4 : scale_at + 4 + n_bytes], "big") if n_bytes else 1_000_000
    return float(units) * scale_ns / 1e9


def _of_mp4(stream: BinaryIO) -> float | None:
    # The box moov may follow hundreds of megabytes of film, so boxes are skipped by their sizes.
    stream.seek(0)
    while len(header := stream.read(8)) == 8:
        size, kind = struct.unpack(">I4s", header)
        skipped = 8
        if size == 1:
            size, skipped = struct.unpack(">Q", stream.read(8))[0], 16
        if kind == b"moov":
            return _of_moov(stream.read(min(size or _HEAD_BYTES, _HEAD_BYTES)))
        if size < skipped:
            return None
        stream.seek(size - skipped, os.SEEK_CUR)
    return None


def _of_moov(moov: bytes) -> float | None:
    at = moov.find(b"mvhd")
    if at < 0:
        return None
    is_long = moov[at + 4] == 1
    units, length = struct.unpack_from(">IQ" if is_long else ">II", moov, at + (24 if is_long else 16))
    return length / units if units else None
