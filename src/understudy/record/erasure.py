"""Erasing a session on request of its participant; the only exception to append-only, down to the bytes."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select, text

from understudy.errors import LogError
from understudy.record.chain import keep_digests
from understudy.record.database import (
    Database,
    note_acknowledged,
    outside_transaction,
    readable_errors,
    reading,
    writing,
)
from understudy.record.encoding import session_hash, tombstone_ids
from understudy.record.run_folder import Reached, mark_of
from understudy.record.tables import agreements, events, people, sessions, tombstones
from understudy.schema import Assignment

# Bytes of erased people in PostgreSQL: table files are written anew, and statistics never hold a text or an id.
#
# A deleted row stays in its file, `VACUUM` only marks its place as free, and `ANALYZE` copies sample values of every column into
# the catalogue. So erasing rewrites the tables, which needs them for itself for as long as that takes, and the columns that
# tell of people have no statistics. The write-ahead log, its archives, replicas and dumps are out of reach from here.

_PERSONAL = {
    events.name: ("body",),
    sessions.name: ("session_id", "participant_id", "assignment"),
    people.name: ("participant_id", "fields"),
}
"""The tables to be rewritten, in this order, and their columns that tell of people."""
_MARK = "bytes of erased sessions"
_WANTED = agreements.c.name == _MARK
_REWRITE_LOCK = 7_046_029_256
"""Held while tables are rewritten: one rewrite serves everybody who was erased before it began."""
_PATIENCE_MS = 500
"""How long a rewrite waits for a table; while it waits, everybody who wants to write waits behind it."""

_OWNED = text(
    "SELECT relname FROM pg_class WHERE oid = ANY(CAST(:names AS regclass[])) AND pg_has_role(relowner, 'USAGE')"
)
_SAMPLED = text(
    "SELECT c.relname, a.attname, EXISTS (SELECT FROM pg_stats s WHERE s.tablename = c.relname AND s.attname = a.attname "
    "AND s.schemaname = n.nspname) AS has_values FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.oid = ANY(CAST(:names AS regclass[])) AND a.attnum > 0 AND coalesce(a.attstattarget, -1) <> 0"
)


class Remains(NamedTuple):
    """Where a PostgreSQL server may keep what was erased, as far as a client can see."""

    not_owned: tuple[str, ...]
    """Tables that this role may not rewrite."""
    sampled: tuple[str, ...]
    """Columns that tell of people, of which the server keeps sample values."""
    is_unfinished: bool
    """Whether the bytes of somebody who was erased are still in the files."""
    copies: tuple[str, ...]
    """Settings by which the server copies the write-ahead log elsewhere, or writes statements into its own log."""


def want_rewrite(connection: Connection) -> None:
    """Note in the transaction of an erasure that its bytes are still in the files; a crash must not leave them there."""
    connection.execute(delete(agreements).where(_WANTED))
    connection.execute(insert(agreements), {"name": _MARK, "value": secrets.token_hex(8)})


def rewrite_wanted(connection: Connection) -> str | None:
    """Return the mark of the last erasure whose bytes are still in the files; None if there is none."""
    return connection.execute(select(agreements.c.value).where(_WANTED)).scalar()


def note_rewritten(connection: Connection, mark: str) -> None:
    """Forget a mark, unless somebody was erased since it was read."""
    connection.execute(delete(agreements).where(_WANTED, agreements.c.value == mark))


def keep_out_of_statistics(database: Database) -> None:
    """Let the server keep no sample values of columns that tell of people, and drop those that it has."""
    with reading(database) as connection:
        if not _sampled(connection):
            return
    with writing(database) as connection:
        found = [row for row in _sampled(connection) if row.relname in _owned(connection)]
        for row in found:
            connection.execute(text(f"ALTER TABLE {row.relname} ALTER COLUMN {row.attname} SET STATISTICS 0"))
            if row.has_values:
                # Stating the type anew changes nothing but drops the values, which no other command does.
                connection.execute(text(f"ALTER TABLE {row.relname} ALTER COLUMN {row.attname} TYPE text"))
        if any(row.has_values for row in found):
            # A log from before this was known: people who were erased then are still in its files.
            want_rewrite(connection)
    if any(row.has_values for row in found):
        with readable_errors(database), _alone(database) as connection:
            # Only the owner of the database may; for others, the server writes over the place some time.
            connection.execute(text("VACUUM (FULL) pg_catalog.pg_statistic"))


def leave_no_copy_in_postgres(database: Database) -> None:
    """Rewrite the files of the tables that tell of people, unless another process does it."""
    with readable_errors(database), _alone(database) as connection:
        connection.execute(text(f"SELECT pg_advisory_lock({_REWRITE_LOCK})"))
        try:
            wanted = rewrite_wanted(connection)
            if wanted is not None:
                _rewrite(connection, database.label)
                note_rewritten(connection, wanted)
        finally:
            connection.execute(text(f"SELECT pg_advisory_unlock({_REWRITE_LOCK})"))


def _rewrite(connection: Connection, label: str) -> None:
    not_owned = set(_PERSONAL) - _owned(connection)
    if not_owned:
        raise LogError(
            f"The event log {label} no longer shows the session, but the bytes stay in the files of {', '.join(sorted(not_owned))}: "
            "only their owner may rewrite them. Serve as that role, or let it run VACUUM FULL on them."
        )
    driver: Any = connection.connection.dbapi_connection
    said: list[str] = []

    def hear(notice: Any) -> None:
        said.append(notice.message_detail or "")

    connection.execute(text(f"SET lock_timeout = {_PATIENCE_MS}"))
    driver.add_notice_handler(hear)
    try:
        for name in _PERSONAL:
            connection.execute(text(f"VACUUM (FULL, VERBOSE) {name}"))
            # "0 dead row versions cannot be removed yet", in the server's language.
            if any((number := re.match(r"\d+", detail)) and int(number[0]) for detail in said):
                raise LogError(
                    f"The event log {label} no longer shows the session, but another program still reads what was there "
                    "before, so its bytes could not be removed; erase it again when that program has finished."
                )
    finally:
        driver.remove_notice_handler(hear)


def remains_in(database: Database) -> Remains:
    """Look for places where a server may keep what was erased."""
    with readable_errors(database), _alone(database) as connection:
        rows = connection.execute(text("SELECT name, setting FROM pg_settings"))
        settings: dict[str, str] = {row.name: row.setting for row in rows}
        slots = connection.execute(text("SELECT count(*) FROM pg_replication_slots")).scalar_one()
        copies = [
            f"{name} = {settings[name]}"
            for name, harmless in (
                ("archive_mode", "off"), ("log_statement", "none"), ("log_min_duration_statement", "-1"), ("wal_keep_size", "0"),
            )
            if settings.get(name, harmless) != harmless
        ]  # fmt: skip
        return Remains(
            tuple(sorted(set(_PERSONAL) - _owned(connection))),
            tuple(f"{row.relname}.{row.attname}" for row in _sampled(connection)),
            rewrite_wanted(connection) is not None,
            (*copies, *((f"{slots} replication slot{'' if slots == 1 else 's'}",) if slots else ())),
        )


def _sampled(connection: Connection) -> list[Any]:
    rows = connection.execute(_SAMPLED, _names()).all()
    return [row for row in rows if row.attname in _PERSONAL[row.relname]]


def _owned(connection: Connection) -> set[str]:
    return set(connection.execute(_OWNED, _names()).scalars())


def _names() -> dict[str, list[str]]:
    return {"names": list(_PERSONAL)}


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    """Connect outside any transaction, as VACUUM asks for, and leave no setting behind."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        held = connection.execute(text("SHOW lock_timeout")).scalar_one()
        try:
            yield connection
        finally:
            connection.execute(text("SELECT set_config('lock_timeout', :held, false)"), {"held": held})


def erase_session(database: Database, session_id: str, erased_ms: int) -> None:
    """Delete the rows of a session and keep only what counting needs; erasing twice changes nothing."""
    gone: list[Reached] = []
    with writing(database) as connection:
        row = connection.execute(select(sessions).where(sessions.c.session_id == session_id)).one_or_none()
        if row is not None:
            keep_digests(connection, row.number)
            connection.execute(delete(events).where(events.c.session_number == row.number))
            connection.execute(delete(sessions).where(sessions.c.number == row.number))
            person = (people.c.study_name == row.study_name, people.c.participant_id == row.participant_id)
            connection.execute(delete(people).where(*person))
            tombstone = {
                "session_id": session_hash(session_id),
                "study_name": row.study_name,
                "condition": Assignment.model_validate_json(row.assignment).condition,
                "participant_kind": row.participant_kind,
                "outcome": row.outcome,
                "is_excluded": row.excluded_by is not None,
                "erased_ms": erased_ms,
            }
            connection.execute(insert(tombstones), tombstone)
            want_rewrite(connection)
            gone = [Reached(row.number, mark_of(session_id), None)]
        elif not connection.execute(
            select(tombstones).where(tombstones.c.session_id.in_(tombstone_ids(session_id)))
        ).first():
            raise LogError(f"The event log {database.label} has no session {session_id!r} to erase; check its id.")
    note_acknowledged(database, gone)
    finish_erasures(database)


def finish_erasures(database: Database) -> None:
    """Remove the bytes of erased sessions from the files, where a reader or a crash prevented it so far."""
    with reading(database) as connection:
        wanted = rewrite_wanted(connection)
    if wanted is None:
        return
    if database.engine.dialect.name == "postgresql":
        leave_no_copy_in_postgres(database)
        return
    _leave_no_copy(database)
    # Not counted among what may be lost: without it, the files are rewritten once more.
    with writing(database, is_counted=False) as connection:
        note_rewritten(connection, wanted)


def _leave_no_copy(database: Database) -> None:
    """Rewrite the file and empty the write-ahead log.

    SQLite's secure_delete alone leaves copies behind where rows had been moved between pages.
    """
    with readable_errors(database), database.engine.connect() as connection:
        outside_transaction(connection, "VACUUM")
        is_blocked = outside_transaction(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
    if is_blocked:
        raise LogError(
            f"The event log {database.label} no longer shows the session, but another program is reading it, so its "
            "bytes could not be overwritten; erase it again when that program has finished."
        )
