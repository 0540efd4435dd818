"""Resumed download: a large file that continues where an interrupted download stopped, checked before it counts."""

import hashlib
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from understudy.errors import MaterialsError

CHUNK = 1 << 20
TIMEOUT_S = 60
_NOT_SATISFIABLE, _PARTIAL = 416, 206
OnBytes = Callable[[int], None]
"""Hears how many more bytes are there."""


class LargeFile(NamedTuple):
    """A published file with its address, digest (MD5, as its publishers give it) and size."""

    name: str
    address: str
    md5: str
    n_bytes: int


def download_large(file: LargeFile, folder: Path, *, on_bytes: OnBytes = lambda _: None) -> Path:
    """Download a file into a folder, or the rest of it, and return its path; what is there and sound stays."""
    folder.mkdir(parents=True, exist_ok=True)
    path, part = folder / file.name, folder / f"{file.name}.part"
    if path.is_file() and _md5(path) == file.md5:
        on_bytes(file.n_bytes)
        return path
    try:
        _continue(file, part, on_bytes)
    except (OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error or type(error).__name__
        n_there = part.stat().st_size if part.is_file() else 0
        raise MaterialsError(
            f"{file.address} cannot be fetched ({reason}). {n_there:,} bytes are kept; run the command again to continue."
        ) from None
    if _md5(part) != file.md5:
        size = part.stat().st_size
        part.unlink()
        raise MaterialsError(
            f"{file.address} did not give the file that was expected: its digest differs ({size:,} bytes received). "
            "Nothing was kept; try again later."
        )
    part.replace(path)
    return path


def _continue(file: LargeFile, part: Path, on_bytes: OnBytes) -> None:
    n_there = part.stat().st_size if part.is_file() else 0
    headers = {"Range": f"bytes={n_there}-"} if n_there else {}
    try:
        with urlopen(Request(file.address, headers=headers), timeout=TIMEOUT_S) as stream:  # noqa: S310  published above
            # A server that does not know ranges sends the whole file again.
            is_rest = stream.status == _PARTIAL
            on_bytes(n_there if is_rest else 0)
            _store(stream, part, "ab" if is_rest else "wb", on_bytes)
    except HTTPError as error:
        # Nothing is left to send: the part is whole already, or damaged, which its digest tells.
        if error.code != _NOT_SATISFIABLE:
            raise


def _store(stream: HTTPResponse, part: Path, mode: str, on_bytes: OnBytes) -> None:
    with part.open(mode) as kept:
        while chunk := stream.read(CHUNK):
            kept.write(chunk)
            on_bytes(len(chunk))
    if stream.length:
        raise URLError("the connection ended early")


def _md5(path: Path) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
