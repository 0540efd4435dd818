"""The tables of the event log, as the newest migration leaves them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

sessions = Table(
    "sessions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("study_name", Text, nullable=False),
    Column("study_digest", Text, nullable=False),
    Column("participant_id", Text, nullable=False),
    Column("participant_kind", Text, nullable=False),
    Column("assignment", Text, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("last_event_ms", BigInteger, nullable=False),
    Column("outcome", Text),
    Column("excluded_by", Text),
    UniqueConstraint("session_id", name="uq_sessions_session_id"),
    UniqueConstraint("study_name", "participant_id", name="uq_sessions_participant"),
    sqlite_autoincrement=True,
)
"""One row for each session: a summary of its events, updated in the same transaction, so that an arrival needs no scan."""

events = Table(
    "events",
    metadata,
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("session_number", Integer, ForeignKey("sessions.number", name="fk_events_session"), nullable=False),
    Column("stream", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("session_number", "stream", "seq", name="uq_events_key"),
    Index("ix_events_session_position", "session_number", "position"),
    sqlite_autoincrement=True,
)
"""One row for each event, `position` in the order of commitment; `body` is the event as JSON."""

tombstones = Table(
    "tombstones",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("study_name", Text, nullable=False),
    Column("condition", Text, nullable=False),
    Column("participant_kind", Text, nullable=False),
    Column("outcome", Text),
    Column("is_excluded", Boolean, nullable=False),
    Column("erased_ms", BigInteger, nullable=False),
)
"""One row for each erased session: only what counting needs, and nothing about the person."""

registrations = Table(
    "registrations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("study_name", Text, nullable=False),
    Column("body", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""One row for each freeze that was entered; `body` is the registration as JSON."""

desk_actions = Table(
    "desk_actions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("study_name", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("session_hash", Text),
    Column("reason", Text),
    Index("ix_desk_actions_study", "study_name", "action"),
    sqlite_autoincrement=True,
)
"""One row for each thing a researcher did; a session is named by its hash, so that erasing it leaves nothing to change."""

batches = Table(
    "batches",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("last_position", BigInteger, nullable=False),
    Column("n_events", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""One row for each commit: how many events it added, up to which position, and the digest that chains it to the last."""

erased_events = Table(
    "erased_events",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", Text, nullable=False),
)
"""One row for each erased event: its one-way digest, without which the chain of digests could not be checked any more."""

losses = Table(
    "losses",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("found_ms", BigInteger, nullable=False),
    Column("told", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""One row for each loss that researchers were told of and accepted."""

people = Table(
    "people",
    metadata,
    Column("study_name", Text, primary_key=True),
    Column("participant_id", Text, primary_key=True),
    Column("fields", Text, nullable=False),
)
"""What recruiters call participants, where several machines share a database; a run on one machine keeps it in a file."""

departures = Table("departures", metadata, Column("mark", Text, primary_key=True))
"""Marks of people who erased their data, where several machines share a database; see `serve/departed.py`."""

agreements = Table(
    "agreements",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""What all processes on one database must have in common."""

pay_entries = Table(
    "pay_entries",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("study_name", Text, nullable=False),
    Column("session_hash", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("study_name", "session_hash", "seq", name="uq_pay_entries_key"),
    sqlite_autoincrement=True,
)
"""One row for each step of a payment; a session is named by its hash, so that money is accounted for after an erasure."""

book_entries = Table(
    "book_entries",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("study_name", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("study_name", "seq", name="uq_book_entries_key"),
    sqlite_autoincrement=True,
)
"""One row for each change of a code book by which annotators code texts."""
