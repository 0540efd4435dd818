"""Write the rows of many events, and of their sessions, by one statement each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

# By the driver itself: what SQLAlchemy does for each row takes longer than SQLite takes to store it.
_EVENT = "INSERT INTO events (session_number, stream, seq, body) VALUES (?, ?, ?, ?)"
_SUMMARY = "UPDATE sessions SET last_event_ms = ?, outcome = ?, excluded_by = ? WHERE number = ?"

# One statement for all rows: executed row by row, the server spends more time on statements than on events.
_EVENTS_FROM_ARRAYS = text(
    "INSERT INTO events (session_number, stream, seq, body) SELECT number, stream, seq, body FROM unnest("
    "CAST(:numbers AS integer[]), CAST(:streams AS text[]), CAST(:seqs AS integer[]), CAST(:bodies AS text[])"
    ") WITH ORDINALITY AS line (number, stream, seq, body, place) ORDER BY place"
)
_SUMMARIES_FROM_ARRAYS = text(
    "UPDATE sessions SET last_event_ms = line.last_event_ms, outcome = line.outcome, excluded_by = line.excluded_by "
    "FROM unnest(CAST(:last_events AS bigint[]), CAST(:outcomes AS text[]), CAST(:excluded AS text[]), "
    "CAST(:numbers AS integer[])) AS line (last_event_ms, outcome, excluded_by, number) "
    "WHERE sessions.number = line.number"
)


class EventRow(NamedTuple):
    """One row of the table of events; its position is given by the database."""

    session_number: int | None
    stream: str
    seq: int
    body: str


class SummaryRow(NamedTuple):
    """What changes in the row of a session, and its number."""

    last_event_ms: int
    outcome: str | None
    excluded_by: str | None
    number: int | None


def insert_events(connection: Connection, rows: Sequence[EventRow]) -> None:
    """Insert rows, whose positions follow their order."""
    if connection.dialect.name != "postgresql":
        connection.exec_driver_sql(_EVENT, list(rows))
        return
    numbers, streams, seqs, bodies = _columns(rows)
    connection.execute(_EVENTS_FROM_ARRAYS, {"numbers": numbers, "streams": streams, "seqs": seqs, "bodies": bodies})


def update_sessions(connection: Connection, rows: Sequence[SummaryRow]) -> None:
    """Bring the rows of sessions up to date."""
    if connection.dialect.name != "postgresql":
        connection.exec_driver_sql(_SUMMARY, list(rows))
        return
    last_events, outcomes, excluded, numbers = _columns(rows)
    connection.execute(
        _SUMMARIES_FROM_ARRAYS,
        {"last_events": last_events, "outcomes": outcomes, "excluded": excluded, "numbers": numbers},
    )


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
