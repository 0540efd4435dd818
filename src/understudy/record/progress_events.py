"""What monitoring reads of the log: who was shown what, answered, passed or ended; a limited number of events at a time."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, or_, select

from understudy.record.shared import last_position
from understudy.record.tables import events, sessions, tombstones

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
