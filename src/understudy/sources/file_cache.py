"""File cache: reads a file once, and again when it has changed."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from understudy.errors import MaterialsError, refuse_large

Made = TypeVar("Made")


def read_once(path: Path, read: Callable[[Path], Made], *, advice: str) -> Made:
    """Return what `read` makes of a file; `advice` says what to do if there is none."""
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. {advice}")
    refuse_large(path, 2048, MaterialsError, "Use a smaller file: it is read into memory.")
    # The time of change is part of the cache key, so that a file exported again is read again.
    made: Made = _read(path, read, path.stat().st_mtime_ns)
    return made


@cache
def _read(path: Path, read: Callable[[Path], Any], _changed_ns: int) -> Any:
    return read(path)
