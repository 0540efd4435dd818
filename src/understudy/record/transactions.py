"""Transactions on the log: one writer at a time, and readers that each see one snapshot."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, text

from understudy.record.connect import BEGINNING, Database
from understudy.record.database_errors import readable_errors

_WRITER_LOCK = 7_046_029_254
"""Any number that other programs in the same PostgreSQL database are unlikely to lock."""


@contextmanager
def writing(database: Database) -> Iterator[Connection]:
    """Open a transaction as the only writer; commit at the end, or roll back if anything is raised.

    With one writer at a time over all processes, positions follow the order of commits.
    """
    with readable_errors(database.label), database.engine.connect() as connection:
        # A reader that turns into a writer cannot wait for the lock: SQLite would fail at once.
        connection.execution_options(**{BEGINNING: "BEGIN IMMEDIATE"})
        with connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_WRITER_LOCK})"))
            yield connection


@contextmanager
def reading(database: Database) -> Iterator[Connection]:
    """Open a read transaction on a snapshot; later commits stay invisible."""
    with readable_errors(database.label), database.engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield connection


def outside_transaction(connection: Connection, statement: str) -> Sequence[Row[Any]]:
    """Execute a statement that SQLite allows only outside a transaction, and return its rows."""
    result = connection.execution_options(**{BEGINNING: ""}).exec_driver_sql(statement)
    return result.all() if result.returns_rows else ()
