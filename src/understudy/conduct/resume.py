"""Rebuild a session from its log, with the engine events that a crash prevented from being stored."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.conduct.script import Script
from understudy.conduct.session import Session
from understudy.errors import LogError
from understudy.schema import Event, SessionEnded, SessionStarted

ENDED_FROM_OUTSIDE = ("withdrew", "abandoned")


class Resumed(NamedTuple):
    """The rebuilt session, and the engine events that still have to be appended."""

    session: Session
    missing: tuple[Event, ...]


def is_derived(event: Event) -> bool:
    """Tell whether a session derives an event from others by itself; endings that came from outside it cannot."""
    return event.stream == "engine" and not (isinstance(event, SessionEnded) and event.outcome in ENDED_FROM_OUTSIDE)


def resume(script: Script, events: Sequence[Event]) -> Resumed:
    """Replay the events of a session, in the order in which they were stored."""
    if not events or not isinstance(events[0], SessionStarted):
        raise LogError("A session's log begins with session_started; this one does not.")
    session = Session(script, events[0])
    derived: list[Event] = []
    stored = {event.seq for event in events if event.stream == "engine"}
    for event in events[1:]:
        if not is_derived(event):
            derived.extend(session.take(event))
    return Resumed(session, tuple(event for event in derived if event.seq not in stored))
