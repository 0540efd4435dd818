"""The event log: append-only and durable, in SQLite by default or PostgreSQL by URL."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.record.desk import Account, Desk, DeskRows, desk_in
    from understudy.record.desk_actions import RecordedLook, look_mark
    from understudy.record.encoded_events import Batch, EncodedEvent, encode_events
    from understudy.record.folder_lock import lock_folder
    from understudy.record.log import Log, open_log
    from understudy.record.log_copy import Mark, copy_sqlite
    from understudy.record.progress_events import ProgressEvent
    from understudy.record.queries import Unreadable
    from understudy.record.recordings import RecordedPart, Recordings, parts_in
    from understudy.record.refusals import SecondSession, StaleSession
    from understudy.record.session_hash import session_hash, tombstone_ids
    from understudy.record.shared import ArrivalTurn, Asked, News
    from understudy.record.summaries import SessionSummary, Tombstone
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
