"""Transactions on the log: one writer at a time, and readers that each see one snapshot."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Row, text

from understudy.record.acknowledged import Reached, Totals
from understudy.record.connect import BEGINNING, Database
from understudy.record.database_errors import readable_errors

_WRITER_LOCK = 7_046_029_254
"""Any number that other programs in the same PostgreSQL database are unlikely to lock."""
ARRIVAL_LOCK = 7_046_029_255
"""Held while arrivals are decided: answers are stored meanwhile, but nobody else can start a session."""

_SILENCE_MS = 20_000
"""How long a writer may be silent before PostgreSQL gives up its transaction and lets others write."""


@contextmanager
def writing(database: Database, lock: int = _WRITER_LOCK, *, is_counted: bool = True) -> Iterator[Connection]:
    """Open a transaction as the only writer; commit at the end, or roll back if anything is raised.

    With one writer at a time over all processes, positions follow the order of commits. A caller that takes another lock first
    calls `become_writer` before the first change. Events are acknowledged session by session, so that appending them is not
    counted.
    """
    totals = Totals()
    with readable_errors(database), database.engine.connect() as connection:
        # A reader that turns into a writer cannot wait for the lock: SQLite would fail at once.
        connection.execution_options(**{BEGINNING: "BEGIN IMMEDIATE"})
        with connection.begin():
            _lock(connection, lock)
            n_before = _n_changes(database, connection)
            yield connection
            if is_counted and _n_changes(database, connection) != n_before:
                # Counted in the log and, below, outside it: so the loss of a payment or of an erasure is noticed too.
                totals = Totals(count_writes(connection) + 1)
                connection.exec_driver_sql(f"PRAGMA user_version = {totals.n_writes}")
    note_acknowledged(database, (), totals)


def _n_changes(database: Database, connection: Connection) -> int:
    """Return how many rows an SQLite log's connection has changed so far; 0 where nobody counts."""
    driver = connection.connection.dbapi_connection
    if database.acknowledged is None or not isinstance(driver, sqlite3.Connection):
        return 0
    return driver.total_changes


def count_writes(connection: Connection) -> int:
    """Return how many transactions an SQLite log has had since it counts them; 0 in PostgreSQL."""
    if connection.dialect.name != "sqlite":
        return 0
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def note_acknowledged(database: Database, reached: Sequence[Reached], totals: Totals = Totals()) -> None:  # noqa: B008 - it is frozen
    """Remember outside the log what was just committed, before anybody is told of it."""
    if database.acknowledged is None or not (reached or any(totals)):
        return
    # What is committed stays committed: without the note, only a later loss would be harder to notice.
    with suppress(OSError):
        database.acknowledged.note(reached, totals)


def become_writer(connection: Connection) -> None:
    """Wait until no other transaction writes; in SQLite, the transaction has been the only writer from its beginning."""
    _lock(connection, _WRITER_LOCK)


def _lock(connection: Connection, lock: int) -> None:
    if connection.dialect.name == "postgresql":
        # A machine that loses its power does not hang up; the server would keep its locks for hours.
        patience = f"set_config('idle_in_transaction_session_timeout', '{_SILENCE_MS}', true)"
        connection.execute(text(f"SELECT {patience}, pg_advisory_xact_lock({lock})"))


@contextmanager
def reading(database: Database) -> Iterator[Connection]:
    """Open a read transaction on a snapshot; later commits stay invisible."""
    with readable_errors(database), database.engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield connection


def outside_transaction(connection: Connection, statement: str) -> Sequence[Row[Any]]:
    """Execute a statement that SQLite allows only outside a transaction, and return its rows."""
    result = connection.execution_options(**{BEGINNING: ""}).exec_driver_sql(statement)
    return result.all() if result.returns_rows else ()
