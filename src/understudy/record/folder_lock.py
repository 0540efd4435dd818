"""Claim: one process at a time gives sessions to a folder, and a process that dies lets go by dying."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from understudy.errors import LogError

_NAME = "in_use.lock"


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, or refuse when another process holds it.

    Two servers would each count places and number events by what they themselves have seen. SQLite takes the lock
    because it does so alike on every system; the operating system drops it with the process, however that ends.
    """
    with closing(_lock_of(folder)):
        yield


def _lock_of(folder: Path) -> sqlite3.Connection:
    try:
        holder = sqlite3.connect(os.fspath(folder / _NAME), timeout=0, isolation_level=None, check_same_thread=False)
        holder.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise LogError(
                f"{folder} is in use by another understudy serve or rehearse; stop that one first, or prepare the "
                "study into a folder of its own."
            ) from None
        raise LogError(f"{folder} cannot be claimed ({error}); check that the folder exists and is writable.") from None
    return holder
