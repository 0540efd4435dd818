"""What has changed in the sessions of a study since a position of the log, found without reading older events."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, or_, select

from understudy.record.desk_actions import steering_of
from understudy.record.encoded_events import event_from_body
from understudy.record.queries import summary_from_row
from understudy.record.summaries import SessionSummary
from understudy.record.tables import book_entries, events, losses, pay_entries, registrations, sessions, tombstones
from understudy.schema import Event

_N_TOGETHER = 500
"""Sessions read by one query; databases limit how many values a query may name."""


class Changes(NamedTuple):
    """The sessions with new events, and what the engine settled or noticed in these events."""

    position: int
    """Where to go on: nothing up to here needs to be read again."""
    summaries: tuple[SessionSummary, ...]
    """The sessions as they are now, in order of start."""
    noted: tuple[Event, ...]
    """The new events that settle a pay or flag a session, oldest first."""
    n_erased: int
    """How many sessions of the study were erased so far; if it has grown, look at the tombstones."""


def changes_since(connection: Connection, label: str, study_name: str, position: int) -> Changes:
    """Return what has changed in a study after a position; 0 returns everything."""
    last = connection.execute(select(func.max(events.c.position))).scalar() or 0
    n_erased = connection.execute(
        select(func.count()).select_from(tombstones).where(tombstones.c.study_name == study_name)
    ).scalar_one()
    # An erasure can remove the newest events, and their positions are never given again.
    if last <= position:
        return Changes(position, (), (), n_erased)
    rows = (row for query in _changed(connection, study_name, position) for row in connection.execute(query))
    noted = connection.execute(_noted(study_name, position).where(events.c.position <= last))
    return Changes(
        last,
        tuple(summary_from_row(row) for row in rows),
        tuple(event_from_body(row.body, label) for row in noted),
        n_erased,
    )


def log_state(connection: Connection, study_name: str) -> str:
    """Return a text that changes whenever anything is appended, erased, registered, paid or found missing."""
    last = connection.execute(
        select(events.c.position, events.c.body).order_by(events.c.position.desc()).limit(1)
    ).first()
    # Positions are never given twice, so the newest event and the number of erasures tell one state from all others.
    counts = [
        connection.execute(select(func.count()).select_from(table).where(table.c.study_name == study_name)).scalar_one()
        for table in (sessions, tombstones, registrations, pay_entries, book_entries)
    ]
    # Pauses and requests for names are listed in the report; other acts at the desk, such as opening it, are not.
    counts.append(len(steering_of(connection, study_name)))
    # A loss that was accepted is listed in the report.
    n_losses = connection.execute(select(func.count()).select_from(losses)).scalar_one()
    return repr((last and tuple(last), counts, n_losses))


def _changed(connection: Connection, study_name: str, position: int) -> Iterator[Select[Any]]:
    of_study = select(sessions).where(sessions.c.study_name == study_name).order_by(sessions.c.number)
    if position == 0:
        yield of_study
        return
    # Made distinct here: asked for distinct ones, SQLite scans the index of all sessions instead of the new events.
    recent = select(events.c.session_number).where(events.c.position > position)
    numbers = sorted(set(connection.execute(recent).scalars()))
    for first in range(0, len(numbers), _N_TOGETHER):
        yield of_study.where(sessions.c.number.in_(numbers[first : first + _N_TOGETHER]))


def _noted(study_name: str, position: int) -> Select[tuple[str]]:
    # Only the few engine events are searched, and only for a word; decoding every event would take minutes.
    engine = select(events.c.body).join(sessions).where(sessions.c.study_name == study_name)
    recent = engine.where(events.c.position > position, events.c.stream == "engine")
    words = or_(*(events.c.body.contains(f'"{word}"') for word in ("pay_settled", "session_flagged")))
    return recent.where(words).order_by(events.c.position)
