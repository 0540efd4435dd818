"""Queries on the event log, each on one consistent snapshot."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, func, not_, or_, select

from understudy.errors import LogError
from understudy.record import append
from understudy.record.encoding import event_from_body, tombstone_ids
from understudy.record.journals import steering_of
from understudy.record.shared import last_position
from understudy.record.tables import book_entries, events, losses, pay_entries, registrations, sessions, tombstones
from understudy.schema import Assignment, Ending, Event, Stream

# Summaries of sessions that need no reading of events.


class SessionSummary(NamedTuple):
    """The summary of one session."""

    session_id: str
    participant_id: str
    participant_kind: Literal["person", "synthetic"]
    study_digest: str
    assignment: Assignment
    started_ms: int
    last_event_ms: int
    """The latest time of any of its events."""
    outcome: Ending | None
    """The latest outcome; None while the session is running."""
    excluded_by: str | None
    """The first exclusion that applied; None if none did."""

    @property
    def condition(self) -> str:
        """The condition it was assigned to."""
        return self.assignment.condition


class Tombstone(NamedTuple):
    """What remains of an erased session: enough to count it, and nothing about the person."""

    session_hash: str
    """Hash of the session id; the id itself is gone."""
    study_name: str
    condition: str
    participant_kind: Literal["person", "synthetic"]
    outcome: Ending | None
    is_excluded: bool
    erased_ms: int

    @property
    def is_completed(self) -> bool:
        """Whether the participant had completed the session."""
        return self.outcome == "completed"


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
            raise append.erased(session_id)
        raise LogError(f"The event log {label} has no session {session_id!r}; check its id.")
    query = _bodies_of_sessions().where(events.c.session_number == number)
    if known:
        read = (and_(events.c.stream == stream, events.c.seq <= seq) for stream, seq in known.items())
        query = query.where(not_(or_(*read)))
    rows = connection.execute(query)
    return tuple(event_from_body(row.body, label) for row in rows)


def recorder_events(connection: Connection, label: str, study_name: str) -> tuple[Event, ...]:
    """Return the events of a study that name recordings, in order of start of their sessions."""
    query = _bodies_of_sessions().join(sessions).where(sessions.c.study_name == study_name)
    rows = connection.execute(query.where(events.c.stream == "recorder"))
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


# What has changed in the sessions of a study since a position of the log, found without reading older events.

_CHANGES_N_TOGETHER = 500
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
    for first in range(0, len(numbers), _CHANGES_N_TOGETHER):
        yield of_study.where(sessions.c.number.in_(numbers[first : first + _CHANGES_N_TOGETHER]))


def _noted(study_name: str, position: int) -> Select[tuple[str]]:
    # Only the few engine events are searched, and only for a word; decoding every event would take minutes.
    engine = select(events.c.body).join(sessions).where(sessions.c.study_name == study_name)
    recent = engine.where(events.c.position > position, events.c.stream == "engine")
    words = or_(*(events.c.body.contains(f'"{word}"') for word in ("pay_settled", "session_flagged")))
    return recent.where(words).order_by(events.c.position)


# What monitoring reads of the log: who was shown what, answered, passed or ended; a limited number of events at a time.

_ON_PAGE = ("trial_shown", "response_given", "surroundings")


class ProgressEvent(NamedTuple):
    """One event as it was stored, not checked again: it may be one of millions."""

    session_id: str
    body: dict[str, Any]


class ProgressEvents(NamedTuple):
    """Some events after a position."""

    position: int
    """Where to go on."""
    last: int
    """The newest position of the log."""
    events: tuple[ProgressEvent, ...]
    erased: frozenset[str]
    """The hashes of all erased sessions."""


def progress_events(connection: Connection, study_name: str, since: int, limit: int) -> ProgressEvents:
    """Return at most `limit` events of a study after a position, oldest first."""
    last = last_position(connection)
    erased = frozenset(
        connection.execute(select(tombstones.c.session_id).where(tombstones.c.study_name == study_name)).scalars()
    )
    if last <= since:
        return ProgressEvents(since, last, (), erased)
    # Drafts and moved sliders are most of what a page sends, and nothing of them is read.
    is_wanted = or_(
        events.c.stream.in_(("engine", "desk")),
        and_(events.c.stream == "page", or_(*(events.c.body.contains(f'"{kind}"') for kind in _ON_PAGE))),
    )
    query = (
        select(events.c.position, sessions.c.session_id, events.c.body)
        .join(sessions)
        .where(sessions.c.study_name == study_name, events.c.position > since, is_wanted)
        .order_by(events.c.position)
        .limit(limit)
    )
    rows = connection.execute(query).all()
    position = rows[-1].position if len(rows) == limit else last
    return ProgressEvents(
        position, last, tuple(ProgressEvent(row.session_id, _plain(row.body)) for row in rows), erased
    )


def _plain(body: str) -> dict[str, Any]:
    """Return an event as it was stored; an empty one where it cannot be read, which no reader takes for an event."""
    try:
        plain = json.loads(body)
    except ValueError:
        return {}
    return plain if isinstance(plain, dict) else {}
