"""Departed: marks of people who erased their data, so that the same id cannot start over.

A mark is a keyed digest of a pseudonym, which is itself one of a recruiter's id: without the server's secret it tells
nothing, and with it only whether a given id was here.
"""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Protocol

from understudy.errors import LogError
from understudy.record import Log
from understudy.schema import Study
from understudy.serve.tokens import Keyring


class Marks(Protocol):
    """Where marks are kept."""

    def enter_departure(self, mark: str) -> None:
        """Remember a mark."""

    def has_departed(self, mark: str) -> bool:
        """Tell whether a mark is known."""


class Departed:
    """Marks of people who left for good; none where a study lets people who erased their data start over."""

    def __init__(self, marks: Marks, study: Study, keyring: Keyring) -> None:
        self._marks, self._study, self._keyring = marks, study, keyring

    async def add(self, participant_id: str) -> None:
        """Remember somebody who left for good."""
        if not self._study.access.restart_after_erasing:
            await asyncio.to_thread(self._marks.enter_departure, self._mark(participant_id))

    async def holds(self, participant_id: str) -> bool:
        """Tell whether somebody left for good."""
        if self._study.access.restart_after_erasing:
            return False
        mark = self._mark(participant_id)
        if isinstance(self._marks, MarksFile):
            return self._marks.has_departed(mark)
        return await asyncio.to_thread(self._marks.has_departed, mark)

    async def note_finisher(self, token: str) -> None:
        """Remember who finished a session that they went on with by an id alone, so that they can see its end again."""
        await asyncio.to_thread(self._marks.enter_departure, self._keyring.finisher_mark(token))

    async def has_finished(self, token: str) -> bool:
        """Tell whether somebody finished the session that they went on with."""
        return await asyncio.to_thread(self._marks.has_departed, self._keyring.finisher_mark(token))

    def _mark(self, participant_id: str) -> str:
        return self._keyring.departure_mark(self._study.name, participant_id)


def marks_of(log: Log, path: Path) -> Marks:
    """Return where the marks of a run are: in the database that machines share, or in a file."""
    return log if log.is_shared else MarksFile(path)


class MarksFile:
    """A table of marks in the list of people, for a run on one machine; several share the table of their database.

    One process serves the run, so that it can also keep them in memory: everybody who arrives is looked up.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._run("CREATE TABLE IF NOT EXISTS departed (mark TEXT PRIMARY KEY)")
        self._known = {str(mark) for (mark,) in self._run("SELECT mark FROM departed")}

    def enter_departure(self, mark: str) -> None:
        """Remember a mark."""
        self._run("INSERT OR IGNORE INTO departed VALUES (?)", mark)
        self._known.add(mark)

    def has_departed(self, mark: str) -> bool:
        """Tell whether a mark is known."""
        return mark in self._known

    def _run(self, statement: str, *values: str) -> list[tuple[object, ...]]:
        try:
            with closing(sqlite3.connect(os.fspath(self._path), timeout=10, isolation_level=None)) as database:
                return database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise LogError(
                f"The list of people {self._path} cannot be read or written ({error}); check the disk and the file."
            ) from error
