"""Resume: a session rebuilt from its log, with the engine's events that a crash kept from being stored."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.conduct.script import Script
from understudy.conduct.session import Session
from understudy.errors import LogError
from understudy.schema import Event, SessionEnded, SessionStarted

ENDED_FROM_OUTSIDE = ("withdrew", "abandoned")


class Resumed(NamedTuple):
    """The session as it stood, and what still has to be appended."""

    session: Session
    missing: tuple[Event, ...]


def resume(script: Script, events: Sequence[Event]) -> Resumed:
    """Fold a session's log, in its order of commitment, back into a state."""
    if not events or not isinstance(events[0], SessionStarted):
        raise LogError("A session's log begins with session_started; this one does not.")
    session = Session(script, events[0])
    derived: list[Event] = []
    stored = {event.seq for event in events if event.stream == "engine"}
    for event in events[1:]:
        is_own = event.stream == "engine" and not (
            isinstance(event, SessionEnded) and event.outcome in ENDED_FROM_OUTSIDE
        )
        if not is_own:
            derived.extend(session.take(event))
    return Resumed(session, tuple(event for event in derived if event.seq not in stored))
