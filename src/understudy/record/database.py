"""The database at a path or URL: connections, transactions, and errors in plain words."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, QueuePool, Row, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from understudy.errors import LogError, MissingExtra
from understudy.record.run_folder import Acknowledged, Reached, Totals

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


# Turn database errors into one sentence that a researcher can act on.

_LOCKED = "is locked by another process; close every other program that writes to it and try again"
_FULL = "cannot grow: the disk is full; free some space and send the events again, nothing acknowledged was lost"
_DAMAGED = "is damaged; restore it from a backup, or save what is left with SQLite's '.recover' command"
_DAMAGES = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_READ_ONLY = "cannot be written; check the permissions of the file and of its folder, both must be writable"

_SQLITE = {
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_CANTOPEN": "cannot be opened; check that the path is right and that its folder may be written to",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR": "cannot be read or written; the disk reports an error, so check its health and its free space",
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_NOTADB": "is not a database; give the path of an event log, or of a file that does not exist yet",
    "SQLITE_READONLY": _READ_ONLY,
}
_DATABASE_ERRORS_CONNECTING = {
    "password authentication failed": "refuses the name or the password; correct them in the URL",
    "no password supplied": "asks for a password; write it into the URL, name:password@host, or into ~/.pgpass",
    "does not exist": "cannot be opened; correct the name in the URL, or create the database or role first",
    "resolve host": "has a host that cannot be found; correct the name in the URL",
    "translate host": "has a host that cannot be found; correct the name in the URL",
}
"""Parts of what the driver says when no connection comes about, and what that means."""
_POSTGRES = {
    "42501": "may not be written by this role; grant it the right to create and fill tables",
    "53100": _FULL,
    "53300": "has no connection left; raise max_connections or close other programs",
    "55P03": _LOCKED,
    "57P": "is shutting down or starting up; try again when the server is ready",
}


@contextmanager
def readable_errors(database: Database) -> Iterator[None]:
    """Raise LogError with one plain sentence instead of the database's own error."""
    try:
        yield
    except SQLAlchemyError as error:
        raise LogError(
            f"The event log {database.label} {_complaint(error)}.{_at_stake(error, database.acknowledged)}"
        ) from error


def _at_stake(error: SQLAlchemyError, acknowledged: Acknowledged | None) -> str:
    """Say how many sessions a file that cannot be read may have lost."""
    name = str(getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlite_errorname", ""))
    if acknowledged is None or not name.startswith(_DAMAGES):
        return ""
    n_sessions = sum(line.n_events is not None for line in acknowledged.reached())
    return f" It had events of {n_sessions} session{'' if n_sessions == 1 else 's'}; all of them may be affected."


def _complaint(error: SQLAlchemyError) -> str:
    origin = error.orig if isinstance(error, DBAPIError) else error
    name = str(getattr(origin, "sqlite_errorname", ""))
    if name:
        # Extended codes such as SQLITE_IOERR_WRITE share the sentence of their primary code.
        known = _SQLITE.get("_".join(name.split("_")[:2]))
        return known or f"failed with {name}: {_first_line(origin)}"
    if hasattr(origin, "sqlstate"):
        state = getattr(origin, "sqlstate", None)
        if state is None:
            return _connecting_complaint(_reason_of(origin))
        for start, complaint in _POSTGRES.items():
            if str(state).startswith(start):
                return complaint
    return f"failed: {_first_line(origin)}"


def _connecting_complaint(said: str) -> str:
    for part, complaint in _DATABASE_ERRORS_CONNECTING.items():
        if part in said:
            return f"{complaint} ({said})"
    return f"cannot be reached; check that its URL is right and its server runs ({said})"


def _reason_of(error: BaseException | None) -> str:
    """Return why no connection came about, without the address, which the driver repeats for each attempt."""
    lines = [line for line in str(error).splitlines() if "failed" in line] or [_first_line(error)]
    return lines[-1].rpartition("failed:")[2].strip().removeprefix("FATAL:").strip().rstrip(".")


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


# Transactions on the log: one writer at a time, and readers that each see one snapshot.

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
