"""Files: public materials and the built front end, under names that never change their content."""

import gzip
import mimetypes
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from understudy.errors import MaterialsError

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
