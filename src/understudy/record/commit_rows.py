"""Write the rows of a commit: its events, what they change in the rows of their sessions, and a link of the chain."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from understudy.record.chain import digest_of, seal

# By the driver itself: what SQLAlchemy does for each row takes longer than SQLite takes to store it.
_EVENT = "INSERT INTO events (session_number, stream, seq, body) VALUES (?, ?, ?, ?)"
_SUMMARY = "UPDATE sessions SET last_event_ms = ?, outcome = ?, excluded_by = ? WHERE number = ?"

# One statement for everything: while it is on its way to the server and back, no other process can write. The digest
# is that of `chain.seal`, made where the last one is.
_WHOLE_COMMIT = text(
    "WITH summary AS ("
    "UPDATE sessions SET last_event_ms = line.last_event_ms, outcome = line.outcome, excluded_by = line.excluded_by "
    "FROM unnest(CAST(:last_events AS bigint[]), CAST(:outcomes AS text[]), CAST(:excluded AS text[]), "
    "CAST(:changed AS integer[])) AS line (last_event_ms, outcome, excluded_by, number) "
    "WHERE sessions.number = line.number"
    "), stored AS ("
    "INSERT INTO events (session_number, stream, seq, body) SELECT number, stream, seq, body FROM unnest("
    "CAST(:numbers AS integer[]), CAST(:streams AS text[]), CAST(:seqs AS integer[]), CAST(:bodies AS text[])"
    ") WITH ORDINALITY AS line (number, stream, seq, body, place) ORDER BY place RETURNING position"
    ") INSERT INTO batches (last_position, n_events, digest) SELECT max(position), count(*), encode(sha256(convert_to("
    "coalesce((SELECT digest FROM batches ORDER BY number DESC LIMIT 1), '') || :digests, 'UTF8')), 'hex') FROM stored RETURNING number"
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


def write_commit(connection: Connection, summaries: Sequence[SummaryRow], rows: Sequence[EventRow]) -> int:
    """Write events, whose positions follow their order, and all that goes with them; return the number of the commit."""
    if connection.dialect.name != "postgresql":
        if summaries:
            connection.exec_driver_sql(_SUMMARY, list(summaries))
        connection.exec_driver_sql(_EVENT, list(rows))
        return seal(connection, [row.body for row in rows])
    names = ("last_events", "outcomes", "excluded", "changed", "numbers", "streams", "seqs", "bodies")
    columns = [*_columns(summaries, len(SummaryRow._fields)), *_columns(rows, len(EventRow._fields))]
    digests = "".join(digest_of(row.body) for row in rows)
    made = connection.execute(_WHOLE_COMMIT, {**dict(zip(names, columns, strict=True)), "digests": digests})
    return int(made.scalar_one())


def _columns(rows: Sequence[tuple[Any, ...]], n_columns: int) -> list[list[Any]]:
    return [[row[column] for row in rows] for column in range(n_columns)]
