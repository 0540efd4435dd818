"""People: what recruiters call participants, kept apart from events so that it can go without them."""

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from understudy.errors import LogError
from understudy.recruiters import recruiter_id_of


class People:
    """A small table beside the log: pseudonym -> the recruiter's fields."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: dict[str, str] = {}
        self._turn = asyncio.Lock()
        path.touch(mode=0o600, exist_ok=True)
        with self._open() as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS people (participant_id TEXT PRIMARY KEY, fields TEXT NOT NULL)"
            )

    def remember(self, participant_id: str, fields: Mapping[str, str]) -> None:
        """Keep what a recruiter sent along with somebody."""
        self._write({participant_id: _text_of(fields)})

    async def remember_in_turn(self, participant_id: str, fields: Mapping[str, str]) -> None:
        """Do the same for one of many who arrive at once: all who wait for their turn share one commit."""
        self._waiting[participant_id] = _text_of(fields)
        async with self._turn:
            if participant_id not in self._waiting:
                return  # whoever wrote before took this one along
            rows, self._waiting = self._waiting, {}
            try:
                await asyncio.to_thread(self._write, rows)
            except BaseException:
                # The others of this commit must find that their rows are still to be written.
                self._waiting = {name: row for name, row in rows.items() if name != participant_id} | self._waiting
                raise

    def fields_of(self, participant_id: str) -> dict[str, str]:
        """Return what is kept of somebody; nothing for most."""
        with self._open() as database:
            row = database.execute("SELECT fields FROM people WHERE participant_id = ?", (participant_id,)).fetchone()
        return {str(name): str(value) for name, value in json.loads(row[0]).items()} if row else {}

    def are_named_by(self, pseudonym: Callable[[str], str]) -> bool:
        """Tell whether everybody a recruiter sent would get the same pseudonym again."""
        with self._open() as database:
            rows = database.execute("SELECT participant_id, fields FROM people").fetchall()
        known = ((held, recruiter_id_of(json.loads(fields))) for held, fields in rows)
        return all(pseudonym(name) == held for held, name in known if name is not None)

    def forget(self, participant_id: str) -> None:
        """Remove somebody without a trace."""
        self._remove([participant_id])

    def keep_only(self, participant_ids: Collection[str]) -> None:
        """Remove everybody who has no session, such as those erased just before a crash."""
        with self._open() as database:
            held = [str(row[0]) for row in database.execute("SELECT participant_id FROM people")]
        self._remove([one for one in held if one not in participant_ids])

    def _write(self, rows: Mapping[str, str]) -> None:
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR REPLACE INTO people VALUES (?, ?)", list(rows.items()))
            database.execute("COMMIT")

    def _remove(self, participant_ids: Collection[str]) -> None:
        if not participant_ids:
            return
        with self._open() as database:
            database.executemany("DELETE FROM people WHERE participant_id = ?", [(one,) for one in participant_ids])
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
