"""What several processes on one log need: news of each other, and turns in which arrivals are decided.

The log is the only thing they share. Positions follow the order of commits, so everything after a position that a
process has read is new to it, and nothing before that position can still appear.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from understudy.record.append import AppendTransaction
from understudy.record.database import ARRIVAL_LOCK, Database, become_writer, writing
from understudy.record.encoding import Batch, encode_events, event_from_body
from understudy.record.tables import agreements, departures, events, people, sessions, tombstones
from understudy.schema import Event, SessionStarted

_COUNTED = ("session_started", "session_ended", "session_excluded")
"""The types of events that change who holds a place."""


class News(NamedTuple):
    """What was stored of a study after a position."""

    position: int
    """Where the next news begin."""
    events: tuple[Event, ...]
    """Starts, ends and exclusions, in the order of commitment."""
    heard: frozenset[str]
    """The sessions that stored anything at all."""
    erased: frozenset[str]
    """The hashes of all erased sessions, early and new."""


def last_position(connection: Connection) -> int:
    """Return the position of the newest event, 0 in an empty log."""
    return connection.execute(select(func.max(events.c.position))).scalar() or 0


def read_news(connection: Connection, label: str, study_name: str, since: int) -> News:
    """Read what was stored of a study after a position."""
    # Read first: what is committed during the next queries comes with the next news.
    until = last_position(connection)
    erased = select(tombstones.c.session_id).where(tombstones.c.study_name == study_name)
    # Erasing the newest events takes the last position back.
    if until <= since:
        return News(since, (), frozenset(), frozenset(connection.execute(erased).scalars()))
    joined = select(events.c.body).join(sessions).where(sessions.c.study_name == study_name)
    fresh = (events.c.position > since, events.c.position <= until)
    is_counted = or_(*(events.c.body.contains(f'"{kind}"') for kind in _COUNTED))
    counted = joined.where(*fresh, events.c.stream != "page", is_counted).order_by(events.c.position)
    heard = joined.with_only_columns(sessions.c.session_id).where(*fresh).distinct()
    return News(
        until,
        tuple(event_from_body(body, label) for body in connection.execute(counted).scalars()),
        frozenset(connection.execute(heard).scalars()),
        frozenset(connection.execute(erased).scalars()),
    )


class Asked(NamedTuple):
    """Who asks for a place, and what has to be known before it is given."""

    study_name: str
    since: int
    """How far the asking process has read the log."""
    participant_ids: Collection[str]
    elsewhere: Collection[str] = ()
    """The studies whose participants may not take part."""


class ArrivalTurn:
    """A transaction in which no other process can start a session; end it with `commit` or `give_up`."""

    def __init__(self, database: Database, asked: Asked) -> None:
        self._database = database
        with ExitStack() as stack:
            self._connection = stack.enter_context(writing(database, ARRIVAL_LOCK))
            self.news = read_news(self._connection, database.label, asked.study_name, asked.since)
            self.took_part = self._took_part(asked)
            self._stack = stack.pop_all()

    def commit(self, starts: Sequence[SessionStarted], fields: Mapping[str, Mapping[str, str]]) -> None:
        """Store the starts of sessions, with what recruiters call their participants; all or none."""
        with self._stack.pop_all():
            become_writer(self._connection)
            intake = AppendTransaction(self._connection)
            batches = [Batch(encode_events([start])) for start in starts]
            intake.read_ahead(batches)
            for batch in batches:
                intake.admit(batch)
            intake.write()
            rows = [
                {"study_name": start.study_name, "participant_id": start.participant_id, "fields": _text_of(named)}
                for start in starts
                if (named := fields.get(start.participant_id))
            ]
            if rows:
                self._connection.execute(insert(people), rows)
        intake.note_in(self._database)

    def give_up(self) -> None:
        """End the turn without a change."""
        self._stack.close()

    def _took_part(self, asked: Asked) -> frozenset[str]:
        if not asked.elsewhere:
            return frozenset()
        query = select(sessions.c.participant_id).where(
            sessions.c.study_name.in_(asked.elsewhere), sessions.c.participant_id.in_(asked.participant_ids)
        )
        return frozenset(self._connection.execute(query).scalars())


def fields_of(connection: Connection, study_name: str, participant_id: str) -> dict[str, str]:
    """Return what a recruiter sent with a participant; empty for people without a recruiter."""
    query = select(people.c.fields).where(people.c.study_name == study_name, people.c.participant_id == participant_id)
    return {str(name): str(value) for name, value in json.loads(connection.execute(query).scalar() or "{}").items()}


def people_of(connection: Connection, study_name: str) -> dict[str, dict[str, str]]:
    """Return what a recruiter sent with each participant, by pseudonym."""
    query = select(people.c.participant_id, people.c.fields).where(people.c.study_name == study_name)
    return {row.participant_id: json.loads(row.fields) for row in connection.execute(query)}


def enter_people(connection: Connection, study_name: str, fields: Mapping[str, Mapping[str, str]]) -> None:
    """Store what a recruiter sent with participants who are not in the table yet."""
    known = people_of(connection, study_name)
    rows = [
        {"study_name": study_name, "participant_id": participant_id, "fields": _text_of(named)}
        for participant_id, named in fields.items()
        if participant_id not in known
    ]
    if rows:
        connection.execute(insert(people), rows)


def enter_departure(connection: Connection, mark: str) -> None:
    """Remember the mark of somebody who erased their data."""
    if not has_departed(connection, mark):
        connection.execute(insert(departures), {"mark": mark})


def has_departed(connection: Connection, mark: str) -> bool:
    """Tell whether somebody with this mark erased their data."""
    return connection.execute(select(departures.c.mark).where(departures.c.mark == mark)).scalar() is not None


def agreed_value(connection: Connection, name: str, value: str) -> str:
    """Return what all processes have agreed on under a name; the first one that asks decides."""
    stored = connection.execute(select(agreements.c.value).where(agreements.c.name == name)).scalar()
    if stored is None:
        connection.execute(insert(agreements), {"name": name, "value": value})
    return value if stored is None else str(stored)


def touch(connection: Connection) -> None:
    """Write something that says nothing, to find out whether it can be written."""
    name = "written to find out whether that works"
    agreed_value(connection, name, "")
    connection.execute(update(agreements).where(agreements.c.name == name).values(value=""))


def claim(connection: Connection, name: str, now_ms: int, lease_ms: int) -> bool:
    """Take something that one of several processes should do; false if another took it less than a lease ago."""
    row = agreements.c.name == name
    stored = connection.execute(select(agreements.c.value).where(row)).scalar()
    if stored is not None and now_ms - int(stored) < lease_ms:
        return False
    connection.execute(delete(agreements).where(row))
    connection.execute(insert(agreements), {"name": name, "value": str(now_ms)})
    return True


def _text_of(fields: Mapping[str, str]) -> str:
    return json.dumps(dict(fields), sort_keys=True)
