"""Departed: marks of people who erased their data, so that the same id cannot start over.

A mark is a keyed digest of a pseudonym, which is itself one of a recruiter's id: without the server's secret it tells
nothing, and with it only whether a given id was here.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from understudy.errors import LogError


class Departed:
    """A table of marks in the list of people."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._run("CREATE TABLE IF NOT EXISTS departed (mark TEXT PRIMARY KEY)")

    def add(self, mark: str) -> None:
        """Remember somebody who left for good."""
        self._run("INSERT OR IGNORE INTO departed VALUES (?)", mark)

    def holds(self, mark: str) -> bool:
        """Tell whether somebody left for good."""
        return bool(self._run("SELECT 1 FROM departed WHERE mark = ?", mark))

    def _run(self, statement: str, *values: str) -> list[tuple[object, ...]]:
        try:
            with closing(sqlite3.connect(os.fspath(self._path), timeout=10, isolation_level=None)) as database:
                return database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise LogError(
                f"The list of people {self._path} cannot be read or written ({error}); check the disk and the file."
            ) from error
