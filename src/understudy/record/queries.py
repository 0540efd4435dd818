"""Queries on the event log, each on one consistent snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, func, not_, or_, select

from understudy.errors import LogError
from understudy.record import refusals
from understudy.record.encoded_events import event_from_body
from understudy.record.session_hash import tombstone_ids
from understudy.record.summaries import SessionSummary, Tombstone
from understudy.record.tables import events, sessions, tombstones
from understudy.schema import Assignment, Event, Stream

_N_TOGETHER = 50
"""Sessions read by one query: enough to be fast, few enough to need little memory."""
_END_OF_CALENDAR_MS = 253_402_300_800_000
"""The beginning of the year 10000, which no date and no later step can take."""


class Unreadable(NamedTuple):
    """A session whose events nobody can read, and why."""

    session_id: str
    reason: str

    @property
    def sentence(self) -> str:
        """Say that the session is left out."""
        return f"The events of session {self.session_id} cannot be read and are left out: {self.reason}"


def whole_sessions(
    connection: Connection, label: str, *, study_name: str | None, synthetic: bool | None
) -> Iterator[tuple[Event, ...] | Unreadable]:
    """Yield the events of each session, session by session, in order of start, or why they cannot be read."""
    query = select(sessions.c.number, sessions.c.session_id).order_by(sessions.c.number).limit(_N_TOGETHER)
    if study_name is not None:
        query = query.where(sessions.c.study_name == study_name)
    if synthetic is not None:
        query = query.where(sessions.c.participant_kind == ("synthetic" if synthetic else "person"))
    last = 0
    # Keyset pagination: offsets would read all earlier rows again.
    while together := connection.execute(query.where(sessions.c.number > last)).all():
        names = {row.number: row.session_id for row in together}
        last = together[-1].number
        bodies: dict[int, list[str]] = {number: [] for number in names}
        for row in connection.execute(_bodies_of_sessions().where(events.c.session_number.in_(names))):
            bodies[row.session_number].append(row.body)
        for number, session_id in names.items():
            yield _whole(session_id, bodies.pop(number), label)


def _whole(session_id: str, bodies: Sequence[str], label: str) -> tuple[Event, ...] | Unreadable:
    try:
        whole = tuple(event_from_body(body, label) for body in bodies)
    except LogError:
        # What the event says is not repeated: it may be an answer.
        return Unreadable(session_id, "an event of it is not one that this software writes.")
    if not whole or whole[0].type != "session_started":
        return Unreadable(session_id, "it does not begin with its start.")
    if not all(0 <= event.at_ms < _END_OF_CALENDAR_MS for event in whole):
        return Unreadable(session_id, "its times are in no calendar.")
    return whole


def session_events(
    connection: Connection, label: str, session_id: str, known: Mapping[str, int] | None = None
) -> tuple[Event, ...]:
    """Return the events of a session in the order of commitment, without those up to the known number of each stream."""
    number = connection.execute(select(sessions.c.number).where(sessions.c.session_id == session_id)).scalar()
    if number is None:
        if connection.execute(select(tombstones).where(tombstones.c.session_id.in_(tombstone_ids(session_id)))).first():
            raise refusals.erased(session_id)
        raise LogError(f"The event log {label} has no session {session_id!r}; check its id.")
    query = _bodies_of_sessions().where(events.c.session_number == number)
    if known:
        read = (and_(events.c.stream == stream, events.c.seq <= seq) for stream, seq in known.items())
        query = query.where(not_(or_(*read)))
    rows = connection.execute(query)
    return tuple(event_from_body(row.body, label) for row in rows)


def last_seq(connection: Connection, session_id: str, stream: Stream) -> int:
    """Return the highest number a stream of a session has reached, 0 before its first event."""
    joined = select(func.max(events.c.seq)).join(sessions).where(sessions.c.session_id == session_id)
    return connection.execute(joined.where(events.c.stream == stream)).scalar() or 0


def session_of(connection: Connection, study_name: str, participant_id: str) -> str | None:
    """Return the id of the session that a participant has in a study, or None."""
    query = select(sessions.c.session_id).where(
        sessions.c.study_name == study_name, sessions.c.participant_id == participant_id
    )
    return connection.execute(query).scalar()


def summary_of(connection: Connection, study_name: str, participant_id: str) -> SessionSummary | None:
    """Return the summary of the session that a participant has in a study, or None."""
    query = select(sessions).where(sessions.c.study_name == study_name, sessions.c.participant_id == participant_id)
    row = connection.execute(query).first()
    return None if row is None else summary_from_row(row)


def session_summaries(connection: Connection, study_name: str) -> Iterator[SessionSummary]:
    """Yield a summary of each session, in order of start."""
    query = select(sessions).where(sessions.c.study_name == study_name).order_by(sessions.c.number)
    # Closed also where a reader stops early: PostgreSQL keeps a cursor open on the server until then.
    with connection.execution_options(yield_per=500).execute(query) as rows:
        for row in rows:
            yield summary_from_row(row)


def tombstones_of(connection: Connection, study_name: str) -> tuple[Tombstone, ...]:
    """Return what is left of the erased sessions of a study, in order of erasure."""
    query = select(tombstones).where(tombstones.c.study_name == study_name)
    ordered = query.order_by(tombstones.c.erased_ms, tombstones.c.session_id)
    return tuple(Tombstone(*row) for row in connection.execute(ordered))


def session_count(connection: Connection, study_name: str) -> int:
    """Count the sessions of a study."""
    return connection.execute(select(func.count()).where(sessions.c.study_name == study_name)).scalar_one()


def event_count(connection: Connection) -> int:
    """Count the events in the log."""
    return connection.execute(select(func.count()).select_from(events)).scalar_one()


def _bodies_of_sessions() -> Select[tuple[int, str]]:
    return select(events.c.session_number, events.c.body).order_by(events.c.session_number, events.c.position)


def summary_from_row(row: Row[Any]) -> SessionSummary:
    """Return the summary that a row of the sessions holds."""
    return SessionSummary(
        session_id=row.session_id,
        participant_id=row.participant_id,
        participant_kind=row.participant_kind,
        study_digest=row.study_digest,
        assignment=Assignment.model_validate_json(row.assignment),
        started_ms=row.started_ms,
        last_event_ms=row.last_event_ms,
        outcome=row.outcome,
        excluded_by=row.excluded_by,
    )
