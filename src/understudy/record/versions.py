"""Bring a log to the current version, and reject versions this software cannot read."""

import time
from pathlib import Path

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, inspect, select, text
from sqlalchemy.exc import OperationalError

from understudy.errors import LogError
from understudy.record.chain import seal_all
from understudy.record.copies import keep_as_found, require_plain
from understudy.record.database import Database, outside_transaction, readable_errors, reading, writing
from understudy.record.erasure import keep_out_of_statistics
from understudy.record.tables import metadata

VERSIONS = ("0001", "0008")
"""Every version this software can read, oldest first; the last is what it writes."""
_VERSION = Table(
    "log_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="log_version_pkc"),
)
_PAUSE_S = 0.01


def bring_up_to_date(database: Database, *, wait_ms: int) -> None:
    """Create the tables of a new log, or those that an old one lacks."""
    if database.engine.dialect.name == "sqlite":
        keep_as_found(database)
        with readable_errors(database):
            _turn_on_wal(database.engine, wait_ms)
        require_plain(Path(database.engine.url.database or ""))
    else:
        _check_durability(database)
    with reading(database) as connection:
        is_old = _version_in(connection, database.label) != VERSIONS[-1]
    if is_old:
        with writing(database) as connection:
            # Another process may have done this between the read and the lock.
            found = _version_in(connection, database.label)
            if found != VERSIONS[-1]:
                _complete(connection, found)
    if database.engine.dialect.name == "postgresql":
        keep_out_of_statistics(database)


def _complete(connection: Connection, found: str | None) -> None:
    """Create what is missing; version 0001 has some of the tables as they still are, and no chain over its events."""
    # First, so that it lies where logs have always had it: at the head of the file, out of the way of what grows.
    _VERSION.create(connection, checkfirst=True)
    metadata.create_all(connection)
    if found is not None:
        seal_all(connection)
    connection.execute(_VERSION.delete())
    connection.execute(_VERSION.insert().values(version_num=VERSIONS[-1]))


def _version_in(connection: Connection, label: str) -> str | None:
    names = inspect(connection).get_table_names()
    if _VERSION.name not in names:
        if names:
            raise LogError(
                f"The event log {label} is a database with other tables in it ({', '.join(sorted(names)[:3])}); "
                "give the log a separate database."
            )
        return None
    version = str(connection.execute(select(_VERSION.c.version_num)).scalar_one())
    if version not in VERSIONS:
        raise LogError(
            f"The event log {label} has version {version}, but this software reads versions {' and '.join(VERSIONS)}; "
            "open it with the understudy that wrote it."
        )
    return version


def _turn_on_wal(engine: Engine, wait_ms: int) -> None:
    """Switch to write-ahead logging, retrying because SQLite does not always wait for a lock here."""
    deadline_s = time.monotonic() + wait_ms / 1000
    while True:
        try:
            with engine.connect() as connection:
                outside_transaction(connection, "PRAGMA journal_mode=WAL")
        except OperationalError as error:
            if time.monotonic() > deadline_s or "locked" not in str(error.orig):
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _check_durability(database: Database) -> None:
    with reading(database) as connection:
        if connection.execute(text("SHOW fsync")).scalar_one() == "off":
            raise LogError(
                f"The event log {database.label} is on a server with fsync=off, which can lose acknowledged events; "
                "turn fsync on."
            )
