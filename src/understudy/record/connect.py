"""Connect to the database at a path or URL, with durable writes and patient locks."""

import os
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from understudy.errors import LogError, MissingExtra
from understudy.record.acknowledged import Acknowledged

BEGINNING = "understudy_beginning"
"""Execution option with the statement that begins an SQLite transaction; empty where no transaction is allowed."""

_CONNECTING = {"connect_timeout": "10"}
"""Without it, an address at which nobody answers is tried for minutes; a URL may say otherwise."""


class Database(NamedTuple):
    """An engine, and the name that error messages use for it."""

    engine: Engine
    label: str
    acknowledged: Acknowledged | None = None
    """What was acknowledged, outside the database; None where nobody is promised anything, as for accounts."""


def connect(path_or_url: str | Path, *, wait_ms: int) -> Database:
    """Return the database of a SQLite path, a `sqlite:///` URL or a `postgresql://` URL, without opening it yet."""
    url = _url_of(path_or_url)
    if url.get_backend_name() == "sqlite":
        return _sqlite(Path(url.database or ""), wait_ms)
    return _postgres(url, wait_ms)


def connect_in_memory(label: str) -> Database:
    """Return a database that lasts as long as this process."""
    # One connection for all threads, in turns: every further one would open an empty database of its own.
    engine = create_engine(
        "sqlite://", poolclass=QueuePool, pool_size=1, max_overflow=0, connect_args={"check_same_thread": False}
    )
    _prepare_sqlite(engine)
    return Database(engine, label)


def require_postgres(url: str) -> None:
    """Refuse an address that several processes cannot share."""
    if "://" not in url or _url_of(url).get_backend_name() != "postgresql":
        raise LogError(
            "--database takes the address of a PostgreSQL database, such as postgresql://name:password@host/database; "
            "without it, events are stored in the run folder."
        )


def without_password(url: str) -> str:
    """Return an address as it may be shown."""
    return _url_of(url).render_as_string(hide_password=True)


def _url_of(path_or_url: str | Path) -> URL:
    text = str(path_or_url)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise LogError(
            "The URL of the event log cannot be read; write postgresql://name:password@host/database."
        ) from None
    if url.drivername in ("sqlite", "postgresql", "postgresql+psycopg"):
        return url
    raise LogError(
        f"The event log cannot be kept in {url.drivername!r}; give a path for SQLite, or a URL that starts with "
        "postgresql://."
    )


def _sqlite(path: Path, wait_ms: int) -> Database:
    _check_path(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)), connect_args={"timeout": wait_ms / 1000}, max_overflow=-1
    )
    _prepare_sqlite(engine)
    return Database(engine, str(path))


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def prepare(dbapi: sqlite3.Connection, _record: object) -> None:
        dbapi.isolation_level = None  # transactions are begun by the listener below, with the lock they need
        # FULL and fullfsync reach the disk before a commit returns; secure_delete overwrites what is erased.
        for setting in ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON", "secure_delete=ON"):
            dbapi.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        beginning = str(connection.get_execution_options().get(BEGINNING, "BEGIN"))
        if beginning:
            connection.exec_driver_sql(beginning)


def _check_path(path: Path) -> None:
    if path.name in ("", ":memory:"):
        raise LogError("The event log needs a file, because memory does not survive a crash; give a path.")
    if path.is_dir():
        raise LogError(f"The event log {path} is a folder; give the path of a file in it.")
    if not path.parent.is_dir():
        raise LogError(f"The event log {path} needs the folder {path.parent}, which does not exist; create it first.")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise LogError(
            f"The event log {path} cannot be written; check the permissions of the file and of its folder, "
            "both must be writable."
        )


def _postgres(url: URL, wait_ms: int) -> Database:
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg", query={**_CONNECTING, **url.query}),
            pool_pre_ping=True, max_overflow=-1,
        )  # fmt: skip
    except ImportError:
        raise MissingExtra(
            "PostgreSQL needs the package psycopg, which is not installed; run: pip install 'understudy[postgres]'"
        ) from None

    @event.listens_for(engine, "connect")
    def prepare(dbapi: Any, _record: object) -> None:
        with dbapi.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {int(wait_ms)}")
            # A server may turn this off globally, and an acknowledged event could then be lost.
            cursor.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') = 'off'"
            )
        dbapi.commit()

    return Database(engine, url.render_as_string(hide_password=True))
