"""The event log: append-only and durable, in SQLite by default or PostgreSQL by URL."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.record.accounts import Account, Desk, DeskRows, desk_in
    from understudy.record.append import SecondSession, StaleSession
    from understudy.record.copies import Mark, copy_sqlite
    from understudy.record.encoding import Batch, EncodedEvent, encode_events, session_hash, tombstone_ids
    from understudy.record.journals import RecordedLook, look_mark
    from understudy.record.log import Log, open_log
    from understudy.record.queries import ProgressEvent, SessionSummary, Tombstone, Unreadable
    from understudy.record.run_folder import RecordedPart, Recordings, lock_folder, parts_in
    from understudy.record.shared import ArrivalTurn, Asked, News
    from understudy.record.writer import GroupWriter

__all__ = [
    "Account",
    "ArrivalTurn",
    "Asked",
    "Batch",
    "Desk",
    "DeskRows",
    "EncodedEvent",
    "GroupWriter",
    "Log",
    "Mark",
    "News",
    "ProgressEvent",
    "RecordedLook",
    "RecordedPart",
    "Recordings",
    "SecondSession",
    "SessionSummary",
    "StaleSession",
    "Tombstone",
    "Unreadable",
    "copy_sqlite",
    "desk_in",
    "encode_events",
    "lock_folder",
    "look_mark",
    "open_log",
    "parts_in",
    "session_hash",
    "tombstone_ids",
]

defer_names(__name__)
