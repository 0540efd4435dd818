"""Copy a whole log while others write to it, and say up to where the copy goes."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Table, func, insert, select, text

from understudy.errors import LogError
from understudy.record.database import Database, reading, writing
from understudy.record.run_folder import Totals
from understudy.record.tables import batches, erased_events, events, metadata

AS_FOUND = ".damaged-"
"""In the names of copies of a damaged log, as it was found."""
_N_AT_ONCE = 2000


class Mark(NamedTuple):
    """A commit of a log, by its number and by the digest that chains it to all commits before."""

    number: int
    digest: str


def last_mark(connection: Connection) -> Mark | None:
    """Return the newest commit, None in a log without events."""
    row = connection.execute(
        select(batches.c.number, batches.c.digest).order_by(batches.c.number.desc()).limit(1)
    ).one_or_none()
    return None if row is None else Mark(row.number, row.digest)


def holds_mark(connection: Connection, mark: Mark) -> bool:
    """Tell whether a log has gone through a commit: equal digests mean equal events up to there."""
    query = select(batches.c.digest).where(batches.c.number == mark.number)
    return bool(connection.execute(query).scalar() == mark.digest)


def keep_as_found(database: Database) -> None:
    """Copy the files of an SQLite log that lacks what was acknowledged, before anything is written over the rest.

    SQLite takes a write-ahead log to end at the first frame that is damaged, and writes over what comes after it.
    """
    log, acknowledged = Path(database.label), database.acknowledged
    if acknowledged is None or not acknowledged.path.exists() or not log.exists():
        return
    said, has = acknowledged.totals(), _totals_of_file(log)
    if has.n_writes >= said.n_writes and has.n_commits >= said.n_commits:
        return
    kept = log.with_name(f"{log.stem}{AS_FOUND}{said.n_commits}-{said.n_writes}{log.suffix}")
    if kept.exists():
        return
    # The log itself gets its name last, so that a copy that was cut short is made again.
    draft = kept.with_name(f"{kept.name}.part")
    try:
        for source, target in ((Path(f"{log}-wal"), Path(f"{kept}-wal")), (log, draft)):
            if source.exists():
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
                shutil.copyfile(source, target)
        draft.rename(kept)
    except OSError as error:
        for path in (draft, Path(f"{kept}-wal")):
            path.unlink(missing_ok=True)
        raise LogError(
            f"The event log {log} lacks events that were stored, and its files could not be copied before anything is "
            f"written over them ({error}); make room on the disk."
        ) from error


def _totals_of_file(log: Path) -> Totals:
    # Read only: closing a log writes what SQLite found of its write-ahead log over the file, and deletes the rest.
    try:
        with closing(sqlite3.connect(f"{log.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as reader:
            (n_writes,) = reader.execute("PRAGMA user_version").fetchone()
            (n_commits,) = reader.execute(f"SELECT max(number) FROM {batches.name}").fetchone()  # noqa: S608 - our own table
    except sqlite3.Error:
        return Totals()
    return Totals(n_writes, n_commits or 0)


def copies_as_found(log: Path) -> list[Path]:
    """Return the copies that were made of a damaged SQLite log."""
    return sorted(log.parent.glob(f"{log.stem}{AS_FOUND}*"))


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy an SQLite file by the online backup of SQLite; everything committed before the call is in the copy.

    All pages are copied in one step: between two steps another process could write, and SQLite would begin again.
    """
    # Readable by its owner only from the moment it exists.
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with closing(sqlite3.connect(source, timeout=10)) as reader, closing(sqlite3.connect(target)) as writer:
            reader.backup(writer)
    except sqlite3.Error as error:
        raise LogError(
            f"{source} cannot be copied to {target.parent} ({error}); check the free space and the health of both disks."
        ) from error


def require_plain(path: Path, *, alone: bool = False) -> None:
    """Refuse an SQLite file with triggers, views or tables that are programs: we write none, and they run when rows are read.

    `alone` reads the file without the journal next to it: opening both as usual would merge them, and delete the journal.
    """
    place = f"{path.resolve().as_uri()}?mode=ro&immutable=1" if alone else str(path)
    strange = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'"
    try:
        with closing(sqlite3.connect(place, uri=alone, timeout=10)) as database:
            found = [f"{kind} {name!r}" for kind, name in database.execute(strange)]
    except sqlite3.Error as error:
        raise LogError(f"{path} cannot be read ({error}); put back a copy of it from a backup.") from None
    if found:
        raise LogError(
            f"{path} has what understudy does not write: {', '.join(found[:3])}. Somebody else has changed the file; put back "
            "a copy of it from a backup of your own."
        )


def copy_rows(source: Database, target: Database) -> None:
    """Copy every row of a log into an empty log of the same version, as the source is when the first row is read."""
    with reading(source) as reader, writing(target) as writer:
        if any(writer.execute(select(table).limit(1)).first() for table in metadata.sorted_tables):
            raise LogError(f"The event log {target.label} is not empty; give the address of an empty database.")
        for table in metadata.sorted_tables:
            for rows in _pages(reader, table):
                writer.execute(insert(table), rows)
        for table in metadata.sorted_tables:
            _go_on_counting(writer, table)


def _pages(reader: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    # Page by page: the driver of PostgreSQL would otherwise hold the whole log in memory.
    found = reader.execute(select(table).order_by(*table.primary_key).execution_options(yield_per=_N_AT_ONCE))
    for rows in found.mappings().partitions():
        yield [dict(row) for row in rows]


def _go_on_counting(writer: Connection, table: Table) -> None:
    """Let new rows be numbered after the copied ones."""
    column = table.autoincrement_column
    if column is None:
        return
    last = writer.execute(select(func.max(column))).scalar() or 0
    if table is events:
        # The position of an erased event is never given again: its digest is still found under it.
        for used in (erased_events.c.position, batches.c.last_position):
            last = max(last, writer.execute(select(func.max(used))).scalar() or 0)
    if not last:
        return
    if writer.dialect.name == "postgresql":
        numbers = text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)")
        writer.execute(numbers, {"table": table.name, "column": column.name, "last": last})
    else:
        writer.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), {"table": table.name})
        writer.execute(text("INSERT INTO sqlite_sequence VALUES (:table, :last)"), {"table": table.name, "last": last})
