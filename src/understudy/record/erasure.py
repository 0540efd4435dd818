"""Erase a session on request of its participant and leave a tombstone; the only exception to append-only."""

from sqlalchemy import delete, insert, select

from understudy.errors import LogError
from understudy.record.acknowledged import Reached, mark_of
from understudy.record.chain import keep_digests
from understudy.record.connect import Database
from understudy.record.database_errors import readable_errors
from understudy.record.postgres_bytes import (
    leave_no_copy_in_postgres,
    note_rewritten,
    rewrite_wanted,
    want_rewrite,
)
from understudy.record.session_hash import session_hash, tombstone_ids
from understudy.record.tables import events, people, sessions, tombstones
from understudy.record.transactions import note_acknowledged, outside_transaction, reading, writing
from understudy.schema import Assignment


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
