"""Append: what is admitted, what is refused and why, and how a commit is written."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, get_args

from sqlalchemy import Connection, bindparam, func, insert, select, text

from understudy.errors import LogError
from understudy.record.chain import digest_of, seal
from understudy.record.database import Database, note_acknowledged
from understudy.record.encoding import Batch, EncodedEvent, is_same_event, tombstone_ids
from understudy.record.run_folder import Reached, Totals, mark_of
from understudy.record.tables import events, sessions, tombstones
from understudy.schema import Event, SessionEnded, SessionExcluded, SessionStarted, Stream
from understudy.schema.events import seen_ms


class SecondSession(LogError):
    """A participant with a session in a study tried to start another; `session_id` is the existing one."""

    def __init__(self, start: SessionStarted, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(
            f"Participant {start.participant_id!r} already has session {session_id!r} in study {start.study_name!r}; "
            "each participant takes part once, so resume that session."
        )


class StaleSession(LogError):
    """Another process stored events of a session that the sender of a batch did not know of."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"Session {session_id!r} has changed in the log since it was read; read it again and repeat the request."
        )


def unknown(event: Event) -> LogError:
    """Return the error for an event of a session that has not started."""
    return LogError(
        f"Session {event.session_id!r} has not started, so its {event.type} event cannot be kept; "
        "append session_started first."
    )


def erased(session_id: str) -> LogError:
    """Return the error for an event of an erased session."""
    return LogError(f"Session {session_id!r} was erased at the participant's request; it takes no more events.")


def gap(event: Event, expected: int) -> LogError:
    """Return the error for an event whose predecessor is missing."""
    return LogError(
        f"Session {event.session_id!r} expects number {expected} of stream {event.stream!r} next, but got "
        f"{event.seq}; send the missing events first."
    )


def conflict(event: Event) -> LogError:
    """Return the error for a number that another event already has."""
    return LogError(
        f"Event {event.seq} of stream {event.stream!r} in session {event.session_id!r} is in the log with different "
        "content; nothing is ever edited, so send it under the next number."
    )


def started_twice(event: Event) -> LogError:
    """Return the error for a second start of one session."""
    return LogError(f"Session {event.session_id!r} has started already; start another one under another id.")


# Write the rows of a commit: its events, what they change in the rows of their sessions, and a link of the chain.

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


# Append batches of events in one transaction: each batch whole or not at all.

_STREAMS: tuple[str, ...] = get_args(Stream)


class SessionProgress:
    """What the log holds of a session so far."""

    __slots__ = ("excluded_by", "last_event_ms", "last_seq", "number", "outcome", "start")

    def __init__(self, number: int | None, start: SessionStarted | None, last_event_ms: int) -> None:
        self.number = number
        """None until its row is written."""
        self.start = start
        """Set only for a session that starts in this transaction."""
        self.last_event_ms = last_event_ms
        self.last_seq = dict.fromkeys(_STREAMS, 0)
        self.outcome: str | None = None
        self.excluded_by: str | None = None

    def copy(self) -> "SessionProgress":
        """Return the same progress, to go on without changing this one."""
        progress = SessionProgress(self.number, self.start, self.last_event_ms)
        progress.last_seq = self.last_seq.copy()
        progress.outcome, progress.excluded_by = self.outcome, self.excluded_by
        return progress

    def take(self, event: Event) -> None:
        """Go on by one event, which must be the next one of its stream."""
        stream = event.stream
        expected = self.last_seq[stream] + 1
        if event.seq != expected:
            raise gap(event, expected)
        if stream == "page":  # nearly all events, and nothing below is about them
            self.last_event_ms = max(self.last_event_ms, seen_ms(event))
        else:
            self._take_decision(event)
        self.last_seq[stream] = expected

    def _take_decision(self, event: Event) -> None:
        if isinstance(event, SessionStarted) and event is not self.start:
            raise started_twice(event)
        if isinstance(event, SessionEnded):
            self.outcome = event.outcome
        if self.excluded_by is None and isinstance(event, SessionExcluded):
            self.excluded_by = event.exclusion_id
        # A researcher may look weeks later, which makes nobody's session longer.
        if event.stream != "desk":
            self.last_event_ms = max(self.last_event_ms, seen_ms(event))


class AppendTransaction:
    """Batches accepted for one transaction, checked against the log and against each other."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._progress: dict[str, SessionProgress] = {}
        self._changed: set[str] = set()
        self._lines: list[EncodedEvent] = []
        self._bodies: dict[tuple[str, str, int], str] = {}
        self._n_indexed = 0
        """How many lines are in the index of bodies; it is only made when something is sent again."""
        self._holders: dict[tuple[str, str], str] = {}
        """Study and person -> the session that the person has there."""
        self._looked_up: set[str] = set()
        """Sessions that the log did not know, and for which it was asked what prevents them."""
        self._erased: set[str] = set()
        self._n_commits = 0

    def admit(self, batch: Batch) -> int:
        """Accept a batch and return how many of its events are new; a rejected batch leaves no trace."""
        if batch.n_known is not None and batch.lines:
            self._require_known(batch.lines[0].event.session_id, batch.n_known)
        # Everything is collected locally first, so that a batch rejected halfway changes nothing.
        drafts: dict[str, SessionProgress] = {}
        changed: set[str] = set()
        fresh: list[EncodedEvent] = []
        holders: dict[tuple[str, str], str] = {}
        for line in batch.lines:
            event = line.event
            progress = drafts.get(event.session_id)
            if progress is None:
                stored = self._progress_of(event.session_id)
                progress = self._opened(event, holders) if stored is None else stored.copy()
                drafts[event.session_id] = progress
            if event.seq <= progress.last_seq[event.stream]:
                # The page resends what it has no receipt for; the same event twice is fine, a different one is not.
                if not is_same_event(line, self._body(_key(event), fresh)):
                    raise conflict(event)
                continue
            progress.take(event)
            changed.add(event.session_id)
            fresh.append(line)
        self._progress |= {session_id: drafts[session_id] for session_id in changed}
        self._changed |= changed
        self._lines += fresh
        self._holders |= holders
        return len(fresh)

    def write(self) -> None:
        """Write everything that was accepted."""
        if not self._lines:
            return
        on_engine = (line.event for line in self._lines if line.event.stream == "engine")
        starts = [event for event in on_engine if isinstance(event, SessionStarted)]
        if starts:
            self._start(starts)
        self._n_commits = write_commit(
            self._connection,
            [_summary_row(self._progress[name]) for name in self._changed],
            [self._row(line) for line in self._lines],
        )

    def note_in(self, database: Database) -> None:
        """Remember outside the log how far each session is that was written to; call it when that is committed."""
        written = {line.event.session_id: self._progress[line.event.session_id] for line in self._lines}
        reached = [
            Reached(progress.number, mark_of(session_id), sum(progress.last_seq.values()))
            for session_id, progress in written.items()
            if progress.number is not None
        ]
        note_acknowledged(database, reached, Totals(n_commits=self._n_commits))

    def _require_known(self, session_id: str, n_known: int) -> None:
        progress = self._progress_of(session_id)
        # Every stream is numbered from 1 without gaps, so the last numbers add up to the number of events.
        if progress is None or sum(progress.last_seq.values()) != n_known:
            raise StaleSession(session_id)

    def read_ahead(self, batches: Sequence[Batch]) -> None:
        """Read what the log holds of the sessions of many batches by a query each, not by one for each session."""
        sent = [line.event for batch in batches for line in batch.lines]
        self._read({event.session_id for event in sent})
        unknown = [event for event in sent if event.session_id not in self._progress]
        if unknown:
            self._look_up(unknown)

    def _progress_of(self, session_id: str) -> SessionProgress | None:
        if session_id not in self._progress:
            self._read({session_id})
        return self._progress.get(session_id)

    def _read(self, session_ids: Collection[str]) -> None:
        for row in self._connection.execute(_PROGRESS, {"wanted": list(session_ids)}):
            session_id, number, last_event_ms, outcome, excluded_by, *reached = row
            progress = self._progress[session_id] = SessionProgress(number, None, last_event_ms)
            progress.outcome, progress.excluded_by = outcome, excluded_by
            progress.last_seq = {stream: seq or 0 for stream, seq in zip(_STREAMS, reached, strict=True)}

    def _look_up(self, unknown: Sequence[Event]) -> None:
        """Read what prevents new sessions: that they were erased, or that their person has another one."""
        names = {event.session_id: tombstone_ids(event.session_id) for event in unknown}
        stones = [stone for ids in names.values() for stone in ids]
        found = set(self._connection.execute(_TOMBSTONE, {"wanted": stones}).scalars())
        self._erased |= {name for name, ids in names.items() if not found.isdisjoint(ids)}
        starts = [event for event in unknown if isinstance(event, SessionStarted)]
        if starts:
            studies, people = {start.study_name for start in starts}, {start.participant_id for start in starts}
            rows = self._connection.execute(_SESSIONS_OF_PEOPLE, {"studies": list(studies), "people": list(people)})
            for session_id, study_name, participant_id in rows:
                self._holders[study_name, participant_id] = session_id
        self._looked_up |= names.keys()

    def _opened(self, event: Event, holders: dict[tuple[str, str], str]) -> SessionProgress:
        if event.session_id not in self._looked_up:
            self._look_up([event])
        if event.session_id in self._erased:
            raise erased(event.session_id)
        if not isinstance(event, SessionStarted):
            raise unknown(event)
        person = (event.study_name, event.participant_id)
        holder = holders.get(person) or self._holders.get(person)
        if holder is not None:
            raise SecondSession(event, holder)
        holders[person] = event.session_id
        return SessionProgress(None, event, event.at_ms)

    def _body(self, key: tuple[str, str, int], fresh: Sequence[EncodedEvent]) -> str:
        for line in fresh:
            if _key(line.event) == key:
                return line.body
        self._bodies |= {_key(line.event): line.body for line in self._lines[self._n_indexed :]}
        self._n_indexed = len(self._lines)
        if key not in self._bodies:
            key_columns = {"number": self._progress[key[0]].number, "stream": key[1], "seq": key[2]}
            self._bodies[key] = self._connection.execute(_BODY, key_columns).scalar_one()
        return self._bodies[key]

    def _start(self, starts: Sequence[SessionStarted]) -> None:
        rows = [_session_row(self._progress[start.session_id], start) for start in starts]
        for start, number in zip(starts, self._connection.execute(_START, rows).scalars(), strict=True):
            self._progress[start.session_id].number = number
            self._changed.remove(start.session_id)  # the row is up to date

    def _row(self, line: EncodedEvent) -> EventRow:
        event = line.event
        return EventRow(self._progress[event.session_id].number, event.stream, event.seq, line.body)


def _key(event: Event) -> tuple[str, str, int]:
    return event.session_id, event.stream, event.seq


def _summary_row(progress: SessionProgress) -> SummaryRow:
    return SummaryRow(progress.last_event_ms, progress.outcome, progress.excluded_by, progress.number)


def _session_row(progress: SessionProgress, start: SessionStarted) -> dict[str, Any]:
    row = start.model_dump(include={"session_id", "study_name", "study_digest", "participant_id", "participant_kind"})
    return row | {
        "assignment": start.assignment.model_dump_json(),
        "started_ms": start.at_ms,
        "last_event_ms": progress.last_event_ms,
        "outcome": progress.outcome,
        "excluded_by": progress.excluded_by,
    }


_START = insert(sessions).returning(sessions.c.number, sort_by_parameter_order=True)
_PROGRESS = select(
    sessions.c.session_id,
    sessions.c.number,
    sessions.c.last_event_ms,
    sessions.c.outcome,
    sessions.c.excluded_by,
    *(
        select(func.max(events.c.seq))
        .where(events.c.session_number == sessions.c.number, events.c.stream == stream)
        .scalar_subquery()
        .label(stream)
        for stream in _STREAMS
    ),
).where(sessions.c.session_id.in_(bindparam("wanted", expanding=True)))
_TOMBSTONE = select(tombstones.c.session_id).where(tombstones.c.session_id.in_(bindparam("wanted", expanding=True)))
_SESSIONS_OF_PEOPLE = select(sessions.c.session_id, sessions.c.study_name, sessions.c.participant_id).where(
    sessions.c.study_name.in_(bindparam("studies", expanding=True)),
    sessions.c.participant_id.in_(bindparam("people", expanding=True)),
)
_BODY = select(events.c.body).where(
    events.c.session_number == bindparam("number"),
    events.c.stream == bindparam("stream"),
    events.c.seq == bindparam("seq"),
)
