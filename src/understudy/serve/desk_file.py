"""The file of the desk: researchers' accounts and who is signed in, readable by the owner of the folder only."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from understudy.errors import UnderstudyError

_TABLES = (
    "CREATE TABLE IF NOT EXISTS researchers (name TEXT PRIMARY KEY, role TEXT NOT NULL, password_hash TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS sign_ins (pass_hash TEXT PRIMARY KEY, name TEXT NOT NULL, until_ms INTEGER NOT NULL)",
)


class DeskFile:
    """A small SQLite database, opened anew for each use, so that several processes and the command line can share it."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the file; without a path, everything is kept in memory."""
        self._path = path
        self._lock = threading.Lock()
        self._memory: sqlite3.Connection | None = None
        if path is None:
            self._memory = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        else:
            # Created with its final permissions, so that nobody can open it in between.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            path.chmod(0o600)
        with self.opened() as database:
            for table in _TABLES:
                database.execute(table)

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that commits every statement."""
        if self._memory is not None:
            with self._lock:
                yield self._memory
            return
        try:
            with closing(sqlite3.connect(os.fspath(self._path or ""), timeout=10, isolation_level=None)) as database:
                database.execute("PRAGMA secure_delete=ON")
                yield database
        except sqlite3.Error as error:
            raise UnderstudyError(
                f"The file of researchers {self._path} cannot be read or written ({error}); check the disk and the file."
            ) from error
