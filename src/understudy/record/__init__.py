"""The event log: append-only, durable before it answers, SQLite by default and PostgreSQL by URL."""

from understudy.record.claim import claimed
from understudy.record.log import Log, open_log
from understudy.record.marks import mark_of, marks_of
from understudy.record.recordings import RecordedPart, Recordings, parts_in
from understudy.record.refusals import SecondSession
from understudy.record.summaries import SessionSummary, Tombstone
from understudy.record.writer import GroupWriter

__all__ = [
    "GroupWriter",
    "Log",
    "RecordedPart",
    "Recordings",
    "SecondSession",
    "SessionSummary",
    "Tombstone",
    "claimed",
    "mark_of",
    "marks_of",
    "open_log",
    "parts_in",
]
