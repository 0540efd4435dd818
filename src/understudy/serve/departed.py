"""Departed: marks of people who erased their data, so that the same id cannot start over.

A mark is a keyed digest of a pseudonym, which is itself one of a recruiter's id: without the server's secret it tells
nothing, and with it only whether a given id was here.
"""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from understudy.errors import LogError
from understudy.schema import Study
from understudy.serve.tokens import Keyring


class Departed:
    """A table of marks in the list of people; empty where a study lets people who erased their data start over."""

    def __init__(self, path: Path, study: Study, keyring: Keyring) -> None:
        self._path, self._study, self._keyring = path, study, keyring
        self._run("CREATE TABLE IF NOT EXISTS departed (mark TEXT PRIMARY KEY)")

    async def add(self, participant_id: str) -> None:
        """Remember somebody who left for good."""
        if not self._study.access.restart_after_erasing:
            await asyncio.to_thread(self._run, "INSERT OR IGNORE INTO departed VALUES (?)", self._mark(participant_id))

    async def holds(self, participant_id: str) -> bool:
        """Tell whether somebody left for good."""
        if self._study.access.restart_after_erasing:
            return False
        return bool(
            await asyncio.to_thread(self._run, "SELECT 1 FROM departed WHERE mark = ?", self._mark(participant_id))
        )

    def _mark(self, participant_id: str) -> str:
        return self._keyring.departure_mark(self._study.name, participant_id)

    def _run(self, statement: str, *values: str) -> list[tuple[object, ...]]:
        try:
            with closing(sqlite3.connect(os.fspath(self._path), timeout=10, isolation_level=None)) as database:
                return database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise LogError(
                f"The list of people {self._path} cannot be read or written ({error}); check the disk and the file."
            ) from error
