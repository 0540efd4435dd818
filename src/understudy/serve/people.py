"""People: the ids that recruiters give participants, stored apart from events so that they can be deleted."""

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from understudy.errors import LogError
from understudy.record import Log
from understudy.recruiters import recruiter_id_of
from understudy.schema import Study
from understudy.serve.access import Keyring

_FEW = 5
"""People who may have arrived without a session when a server crashed."""


class People:
    """A small table next to the log: pseudonym -> the recruiter's fields."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: dict[str, str | None] = {}
        """The rows to write; None for one to delete."""
        self._turn = asyncio.Lock()
        path.touch(mode=0o600, exist_ok=True)
        with self._open() as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS people (participant_id TEXT PRIMARY KEY, fields TEXT NOT NULL)"
            )
            database.execute("CREATE TABLE IF NOT EXISTS log_size (n_sessions INTEGER NOT NULL)")
            # People without a session: their arrival was cut short, or their session was lost.
            database.execute(
                "CREATE TABLE IF NOT EXISTS set_aside (participant_id TEXT PRIMARY KEY, fields TEXT NOT NULL)"
            )

    def remember(self, participant_id: str, fields: Mapping[str, str]) -> None:
        """Store the fields that a recruiter sent with a participant."""
        self._write({participant_id: _text_of(fields)})

    async def remember_in_turn(self, participant_id: str, fields: Mapping[str, str]) -> None:
        """Do the same when many arrive at once: all waiting changes are written in one commit."""
        await self._in_turn(participant_id, _text_of(fields))

    async def forget_in_turn(self, participant_id: str) -> None:
        """Delete the row of somebody who got no place; of many at once, the file is rewritten once."""
        await self._in_turn(participant_id, None)

    async def _in_turn(self, participant_id: str, text: str | None) -> None:
        self._waiting[participant_id] = text
        async with self._turn:
            if participant_id not in self._waiting:
                return  # the previous commit included this row
            rows, self._waiting = self._waiting, {}
            try:
                await asyncio.to_thread(self._write, rows)
            except BaseException:
                # The other requests of this commit must see that their rows are not written yet.
                self._waiting = {name: row for name, row in rows.items() if name != participant_id} | self._waiting
                raise

    def fields_of(self, participant_id: str) -> dict[str, str]:
        """Return the recruiter's fields of a participant; empty for people without a recruiter."""
        with self._open() as database:
            row = database.execute("SELECT fields FROM people WHERE participant_id = ?", (participant_id,)).fetchone()
        return {str(name): str(value) for name, value in json.loads(row[0]).items()} if row else {}

    def are_named_by(self, pseudonym: Callable[[str], str]) -> bool:
        """Tell whether everyone with a recruiter's id would get the same pseudonym again."""
        with self._open() as database:
            rows = database.execute("SELECT participant_id, fields FROM people").fetchall()
        known = ((participant_id, recruiter_id_of(json.loads(fields))) for participant_id, fields in rows)
        return all(pseudonym(name) == participant_id for participant_id, name in known if name is not None)

    def forget(self, participant_id: str) -> None:
        """Delete the row of a participant."""
        self._remove([participant_id])

    def keep_only(self, participant_ids: Collection[str], *, n_sessions: int, accepts_loss: bool = False) -> int:
        """Set everyone aside who has no session, and return how many; people who have one again come back.

        Nobody is deleted: an arrival may have been cut short, but the log may also have lost the session, and who these
        people are could not be found out again. A log that looks shorter than it was is refused unless a loss is accepted.
        """
        with self._open() as database:
            aside = [str(row[0]) for row in database.execute("SELECT participant_id FROM set_aside")]
            self._move(database, "set_aside", "people", [name for name in aside if name in participant_ids])
            known = [str(row[0]) for row in database.execute("SELECT participant_id FROM people")]
            counted = database.execute("SELECT MAX(n_sessions) FROM log_size").fetchone()[0] or 0
            unknown = [name for name in known if name not in participant_ids]
            if not accepts_loss and (n_sessions < counted or len(unknown) > max(_FEW, len(known) // 10)):
                raise LogError(
                    f"The log holds {n_sessions} sessions, but {max(counted, len(known))} people came: {len(unknown)} of those "
                    f"in {self._path} have no session. It looks as if an older copy of the log was put back. Put back the "
                    "newest one; or continue with what is left by --accept-loss, which keeps these people apart."
                )
            self._move(database, "people", "set_aside", unknown)
        self.note_log_size(n_sessions)
        return len(unknown)

    def n_set_aside(self) -> int:
        """Count the people who have an id here and no session."""
        with self._open() as database:
            return int(database.execute("SELECT COUNT(*) FROM set_aside").fetchone()[0])

    def _move(self, database: sqlite3.Connection, source: str, target: str, names: Sequence[str]) -> None:
        rows = [(name,) for name in names]
        database.execute("BEGIN IMMEDIATE")
        database.executemany(
            f"INSERT OR REPLACE INTO {target} SELECT * FROM {source} WHERE participant_id = ?",  # noqa: S608 - both are named here
            rows,
        )
        database.executemany(f"DELETE FROM {source} WHERE participant_id = ?", rows)  # noqa: S608 - as above
        database.execute("COMMIT")

    def all(self) -> dict[str, dict[str, str]]:
        """Return the recruiter's fields of everybody, by pseudonym."""
        with self._open() as database:
            rows = database.execute("SELECT participant_id, fields FROM people").fetchall()
        return {str(participant_id): json.loads(fields) for participant_id, fields in rows}

    def fit_to_copy(self, participant_ids: Collection[str], *, n_sessions: int) -> None:
        """Make a copy of this list fit a copy of the log that was made a moment before it: nobody came later."""
        self._remove([participant_id for participant_id in self.all() if participant_id not in participant_ids])
        self.note_log_size(n_sessions)

    def note_log_size(self, n_sessions: int) -> None:
        """Remember how many sessions the log has held, erased ones included; it never holds fewer again."""
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("DELETE FROM log_size")
            database.execute("INSERT INTO log_size VALUES (?)", (n_sessions,))
            database.execute("COMMIT")

    def _write(self, rows: Mapping[str, str | None]) -> None:
        kept = [(participant_id, text) for participant_id, text in rows.items() if text is not None]
        if kept:
            with self._open() as database:
                database.execute("BEGIN IMMEDIATE")
                database.executemany("INSERT OR REPLACE INTO people VALUES (?, ?)", kept)
                database.executemany("DELETE FROM set_aside WHERE participant_id = ?", [(name,) for name, _ in kept])
                database.execute("COMMIT")
        self._remove([participant_id for participant_id, text in rows.items() if text is None])

    def _remove(self, participant_ids: Collection[str]) -> None:
        if not participant_ids:
            return
        with self._open() as database:
            for table in ("people", "set_aside"):
                database.executemany(
                    f"DELETE FROM {table} WHERE participant_id = ?",  # noqa: S608 - one of the two above
                    [(participant_id,) for participant_id in participant_ids],
                )
            # secure_delete overwrites the rows; rewriting the file also drops the pages that held them.
            database.execute("VACUUM")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(os.fspath(self._path), timeout=10, isolation_level=None)) as database:
                database.execute("PRAGMA secure_delete=ON")
                yield database
        except sqlite3.Error as error:
            raise LogError(
                f"The list of people {self._path} cannot be read or written ({error}); check the disk and the file."
            ) from error


def _text_of(fields: Mapping[str, str]) -> str:
    return json.dumps(dict(fields), sort_keys=True)


# Departed: marks of people who erased their data, so that the same id cannot start over.
#
# A mark is a keyed digest of a pseudonym, which is itself one of a recruiter's id: without the server's secret it tells
# nothing, and with it only whether a given id was here.


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
