"""Lock a run folder, so that only one process at a time adds sessions to it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from understudy.errors import LogError

_NAME = "in_use.lock"
_ADVICE = "stop that one first, or prepare the study into another folder"


@contextmanager
def lock_folder(folder: Path, advice: str = _ADVICE) -> Iterator[None]:
    """Lock a folder for the block, or raise LogError with advice when another process has locked it.

    Two servers would each count places and number events from what they have seen themselves. The lock is an SQLite
    transaction because that works the same on every system, and the operating system releases it when the process ends.
    """
    with closing(_lock_of(folder, advice)):
        yield


def _lock_of(folder: Path, advice: str) -> sqlite3.Connection:
    try:
        lock = sqlite3.connect(os.fspath(folder / _NAME), timeout=0, isolation_level=None, check_same_thread=False)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        # Extended codes such as SQLITE_BUSY_SNAPSHOT start with the same words.
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise LogError(f"{folder} is in use by another understudy serve or rehearse; {advice}.") from None
        raise LogError(f"{folder} cannot be locked ({error}); check that the folder exists and is writable.") from None
    return lock
