"""Receipts: take a batch of a page's events: in order, stamped with the server's time, and checked before it counts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from understudy.schema import Event, Interacted, ResponseGiven, SessionStarted, TrialShown
from understudy.serve.refusals import conflicting, unacceptable, wrong_order
from understudy.serve.sessions.film_time import Film, film_fault
from understudy.serve.sessions.live import Live

PageEvent: TypeAlias = TrialShown | Interacted | ResponseGiven
PageEvents: TypeAlias = Sequence[PageEvent]


def fresh(live: Live, events: PageEvents) -> PageEvents:
    """Leave out what is stored already, and refuse gaps and second versions."""
    expected = live.next_seq
    if events[0].seq > expected:
        raise wrong_order(expected)
    for event in events:
        if event.seq < expected and not _is_resent(live.page[event.seq - 1], live.read(event)):
            raise conflicting(event.seq, expected)
    return events[expected - events[0].seq :]


class Received(NamedTuple):
    """New events of a page, as it sent them."""

    events: PageEvents
    at_ms: int | None
    """When they came by the server's clock; None for simulated people, who run on simulated time."""


def received(live: Live, events: PageEvents, now_ms: int) -> Received:
    """Return the events with the time of their receipt."""
    started = live.session.events[0]
    if not isinstance(started, SessionStarted) or started.participant_kind != "person":
        return Received(events, None)
    last = live.page[-1] if live.page else started
    # A server's clock that is set back must not make honest people look impossibly fast.
    return Received(events, max(now_ms, getattr(last, "received_ms", None) or started.at_ms))


def checked_ahead(live: Live, new: Received) -> list[PageEvent]:
    """Find faults before anything changes, and return the events up to the first answer: they are of the current step."""
    checked: list[PageEvent] = []
    is_shown = live.is_shown
    for sent in new.events:
        event = live.read(sent, new.at_ms)
        fault = live.fault_of(event, is_shown=is_shown)
        if fault is not None:
            raise unacceptable(fault)
        checked.append(event)
        if event.type == "response_given":
            break
        is_shown = is_shown or event.type == "trial_shown"
    return checked


def taken(live: Live, checked: Sequence[PageEvent], new: Received, films: Mapping[str, Film]) -> list[Event]:
    """Apply events to the session, and return them with the engine events that follow."""
    batch: list[Event] = []
    for index, sent in enumerate(new.events):
        if live.session.outcome is not None:
            break  # events after the end belong to no step
        # Later events are about steps that the answers before them lead to, so they cannot be checked any sooner.
        event = checked[index] if index < len(checked) else live.read(sent, new.at_ms)
        fault = None if index < len(checked) else live.fault_of(event)
        if fault is None and event.type == "response_given" and event.trial_id in films:
            fault = film_fault(films[event.trial_id], event, sent_ms=live.session.sent_ms)
        if fault is not None:
            raise unacceptable(fault)
        batch.append(event)
        batch.extend(live.take(event))
    if live.session.outcome == "completed":
        live.session.script.timetable.learn(live.session.steps)
    return batch


def _is_resent(stored: Event, event: PageEvent) -> bool:
    """Tell whether a page sent the stored event again; the time of receipt is not part of what it sent."""
    return stored == event.model_copy(update={"received_ms": getattr(stored, "received_ms", None)})
