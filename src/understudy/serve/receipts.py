"""Receipts: take a batch of a page's events: in order, stamped with the server's time, and checked before it counts."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from understudy.conduct import Ended
from understudy.schema import Event, Interacted, ResponseGiven, SessionStarted, TrialShown
from understudy.serve.film_time import Film, film_fault
from understudy.serve.live import Live
from understudy.serve.refusals import conflicting, unacceptable, wrong_order

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


def stamped(live: Live, events: PageEvents, now_ms: int) -> PageEvents:
    """Return the events with the time of receipt; simulated people run on simulated time and get none."""
    started = live.session.events[0]
    if not isinstance(started, SessionStarted) or started.participant_kind != "person":
        return events
    last = live.page[-1] if live.page else started
    # A server's clock that is set back must not make honest people look impossibly fast.
    received_ms = max(now_ms, getattr(last, "received_ms", None) or started.at_ms)
    return [event.model_copy(update={"received_ms": received_ms}) for event in events]


def check_ahead(live: Live, events: PageEvents) -> None:
    """Find faults before anything changes: all events up to the first answer belong to the current step."""
    is_shown = live.is_shown
    for event in map(live.read, events):
        fault = live.fault_of(event, is_shown=is_shown)
        if fault is not None:
            raise unacceptable(fault)
        if isinstance(event, ResponseGiven) or isinstance(live.at_hand, Ended):
            return
        is_shown = is_shown or isinstance(event, TrialShown)


def taken(live: Live, events: PageEvents, films: Mapping[str, Film]) -> list[Event]:
    """Apply events to the session, and return them with the engine events that follow."""
    batch: list[Event] = []
    for sent in events:
        if live.session.outcome is not None:
            break  # events after the end belong to no step
        event = live.read(sent)
        fault = live.fault_of(event)
        if fault is None and isinstance(event, ResponseGiven) and event.trial_id in films:
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
