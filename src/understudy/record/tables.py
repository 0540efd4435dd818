"""The tables of the event log."""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint
from sqlalchemy.schema import SchemaItem

# Columns of the log's tables. Logs of version 0001 have their first tables as they are here, so these do not change.


def row_number() -> Column[Any]:
    """Return the key of a table whose rows are numbered in the order in which they come."""
    return Column("number", Integer, primary_key=True)


def texts(*names: str) -> list[Column[Any]]:
    """Return columns of text that every row has."""
    return [Column(name, Text, nullable=False) for name in names]


def key_texts(*names: str) -> list[Column[Any]]:
    """Return the columns of text that are the key of a table."""
    return [Column(name, Text, primary_key=True) for name in names]


def optional_texts(*names: str) -> list[Column[Any]]:
    """Return columns of text that a row may lack."""
    return [Column(name, Text) for name in names]


def counts(*names: str) -> list[Column[Any]]:
    """Return columns of whole numbers that every row has."""
    return [Column(name, Integer, nullable=False) for name in names]


def large_counts(*names: str) -> list[Column[Any]]:
    """Return columns of whole numbers of any size, such as times in milliseconds, that every row has."""
    return [Column(name, BigInteger, nullable=False) for name in names]


def journal(table: str, *names: str) -> list[SchemaItem]:
    """Return the columns of a journal: entries as JSON, numbered by `seq` for each combination of the named texts."""
    unique = UniqueConstraint(*names, "seq", name=f"uq_{table}_key")
    return [row_number(), *texts(*names), *counts("seq"), *texts("body"), unique]


metadata = MetaData()

sessions = Table(
    "sessions",
    metadata,
    row_number(),
    *texts("session_id", "study_name", "study_digest", "participant_id", "participant_kind", "assignment"),
    *large_counts("started_ms", "last_event_ms"),
    *optional_texts("outcome", "excluded_by"),
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
    *texts("stream"),
    *counts("seq"),
    *texts("body"),
    UniqueConstraint("session_number", "stream", "seq", name="uq_events_key"),
    Index("ix_events_session_position", "session_number", "position"),
    sqlite_autoincrement=True,
)
"""One row for each event, `position` in the order of commitment; `body` is the event as JSON."""

tombstones = Table(
    "tombstones",
    metadata,
    *key_texts("session_id"),
    *texts("study_name", "condition", "participant_kind"),
    *optional_texts("outcome"),
    Column("is_excluded", Boolean, nullable=False),
    *large_counts("erased_ms"),
)
"""One row for each erased session: only what counting needs, and nothing about the person."""

registrations = Table("registrations", metadata, row_number(), *texts("study_name", "body"), sqlite_autoincrement=True)
"""One row for each freeze that was entered; `body` is the registration as JSON."""

desk_actions = Table(
    "desk_actions",
    metadata,
    row_number(),
    *texts("study_name"),
    *large_counts("at_ms"),
    *texts("actor", "action"),
    *optional_texts("session_hash", "reason"),
    Index("ix_desk_actions_study", "study_name", "action"),
    sqlite_autoincrement=True,
)
"""One row for each thing a researcher did; a session is named by its hash, so that erasing it leaves nothing to change."""

batches = Table(
    "batches",
    metadata,
    row_number(),
    *large_counts("last_position"),
    *counts("n_events"),
    *texts("digest"),
    sqlite_autoincrement=True,
)
"""One row for each commit: how many events it added, up to which position, and the digest that chains it to the last."""

erased_events = Table(
    "erased_events",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    *texts("digest"),
)
"""One row for each erased event: its one-way digest, without which the chain of digests could not be checked any more."""

losses = Table("losses", metadata, row_number(), *large_counts("found_ms"), *texts("told"), sqlite_autoincrement=True)
"""One row for each loss that researchers were told of and accepted."""

people = Table("people", metadata, *key_texts("study_name", "participant_id"), *texts("fields"))
"""What recruiters call participants, where several machines share a database; a run on one machine keeps it in a file."""

departures = Table("departures", metadata, *key_texts("mark"))
"""Marks of people who erased their data, where several machines share a database; see `serve/people.py`."""

agreements = Table("agreements", metadata, *key_texts("name"), *texts("value"))
"""What all processes on one database must have in common."""

pay_entries = Table(
    "pay_entries", metadata, *journal("pay_entries", "study_name", "session_hash"), sqlite_autoincrement=True
)
"""One row for each step of a payment; a session is named by its hash, so that money is accounted for after an erasure."""

book_entries = Table("book_entries", metadata, *journal("book_entries", "study_name"), sqlite_autoincrement=True)
"""One row for each change of a code book by which annotators code texts."""
