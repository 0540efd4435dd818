"""Insert many events by one statement, in their order."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, insert, text

from understudy.record.tables import events

# One statement for all rows: executed row by row, the server spends more time on statements than on events.
_FROM_ARRAYS = text(
    "INSERT INTO events (session_number, stream, seq, body) SELECT number, stream, seq, body FROM unnest("
    "CAST(:numbers AS integer[]), CAST(:streams AS text[]), CAST(:seqs AS integer[]), CAST(:bodies AS text[])"
    ") WITH ORDINALITY AS line (number, stream, seq, body, place) ORDER BY place"
)


class EventRow(NamedTuple):
    """One row of the table of events; its position is given by the database."""

    session_number: int | None
    stream: str
    seq: int
    body: str


def insert_events(connection: Connection, rows: Sequence[EventRow]) -> None:
    """Insert rows, whose positions follow their order."""
    if connection.dialect.name != "postgresql":
        connection.execute(insert(events), [row._asdict() for row in rows])
        return
    numbers, streams, seqs, bodies = (list(column) for column in zip(*rows, strict=True))
    connection.execute(_FROM_ARRAYS, {"numbers": numbers, "streams": streams, "seqs": seqs, "bodies": bodies})
