"""Ledger: counts who holds a place in which condition, updated with every event."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from understudy.registry import create
from understudy.roles import Design, Ordering, Place
from understudy.schema import Assignment, Event, SessionEnded, SessionExcluded, SessionStarted, Study


class _Allocation(NamedTuple):
    """What a session takes up in its condition; equal allocations share one object to save memory."""

    condition: str
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    lists: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _ActiveSession:
    allocation: _Allocation
    last_event_ms: int
    is_counted: bool = True
    """Whether the session takes up a place, an order and item lists: active or completed, and not excluded."""


@dataclass
class _ConditionCounts:
    n_assigned: int = 0
    n_active: int = 0
    n_completed: int = 0
    orders: dict[str, Counter[tuple[str, ...]]] = field(default_factory=dict)
    lists: dict[str, Counter[int]] = field(default_factory=dict)


class Ledger:
    """The counts of one study: feed it every event, then ask it for places and for overdue sessions."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.design: Design = create("designs", study.assignment.policy)
        self.orderings: dict[str, Ordering] = {
            factor.name: create("orderings", factor.order) for factor in study.factors if factor.scope == "within"
        }
        self.n_arrivals = 0
        self._release_ms = study.assignment.release_after_min * 60_000
        self._overdue_after_ms = math.inf
        """Until then nobody can have been silent for too long, so that an arrival need not look at everybody."""
        self._quotas = {cell.name: study.quota_of(cell) for cell in study.cells}
        self._cells = {cell.name: _ConditionCounts() for cell in study.cells}
        self._allocations: dict[_Allocation, _Allocation] = {}
        self._active: dict[str, _ActiveSession] = {}
        self._completed: dict[str, _Allocation] = {}
        """Allocations of completed sessions that were not excluded: a later exclusion frees them."""
        self._session_of: dict[str, str] = {}

    def take(self, event: Event) -> None:
        """Update the counts with one event."""
        match event:
            case SessionStarted():
                self._start(event)
            case SessionEnded():
                self._end(event.session_id, is_completed=event.outcome == "completed")
            case SessionExcluded():
                self._drop(event.session_id)
            case _:
                self.hear(event.session_id, event.at_ms)

    def hear(self, session_id: str, at_ms: int) -> None:
        """Take note of a sign of life of a session."""
        holder = self._active.get(session_id)
        if holder is not None:
            holder.last_event_ms = max(holder.last_event_ms, at_ms)

    def take_all(self, events: Iterable[Event]) -> "Ledger":
        """Update the counts with many events and return the ledger."""
        for event in events:
            self.take(event)
        return self

    def erase(self, session_id: str) -> None:
        """Remove an erased session from the counts and free its place."""
        self._drop(session_id)
        self._active.pop(session_id, None)
        # Erasing is rare, so a search costs less than a second index.
        for participant_id in [
            person for person, their_session in self._session_of.items() if their_session == session_id
        ]:
            del self._session_of[participant_id]

    def places(self) -> tuple[Place, ...]:
        """Return the places of every condition, in declared order."""
        return tuple(
            Place(
                condition=name,
                quota=self._quotas[name],
                n_completed=cell.n_completed,
                n_active=cell.n_active,
                n_assigned=cell.n_assigned,
            )
            for name, cell in self._cells.items()
        )

    def has_room(self, condition: str | None = None) -> bool:
        """Tell whether a place is free, in any condition unless one is named."""
        return any(place.has_room and condition in (None, place.condition) for place in self.places())

    @property
    def is_full(self) -> bool:
        """Whether every place is filled by a completed session."""
        return all(place.n_completed >= place.quota for place in self.places())

    def session_of(self, participant_id: str) -> str | None:
        """Return the session that a participant already has, however it ended."""
        return self._session_of.get(participant_id)

    def is_active(self, session_id: str) -> bool:
        """Tell whether a session is active."""
        return session_id in self._active

    def overdue(self, now_ms: int) -> tuple[str, ...]:
        """Return the active sessions without an event for longer than the study allows."""
        if now_ms <= self._overdue_after_ms:
            return ()
        earliest_ms = min((holder.last_event_ms for holder in self._active.values()), default=math.inf)
        self._overdue_after_ms = earliest_ms + self._release_ms
        return tuple(
            session_id
            for session_id, holder in self._active.items()
            if now_ms - holder.last_event_ms > self._release_ms
        )

    def held_orders(self, condition: str, factor: str) -> Counter[tuple[str, ...]]:
        """Return how many people in a condition hold each order of a factor's levels."""
        return self._cells[condition].orders.setdefault(factor, Counter())

    def held_lists(self, condition: str, item_set: str) -> Counter[int]:
        """Return how many people in a condition hold each item list of a rotating set."""
        return self._cells[condition].lists.setdefault(item_set, Counter())

    def _start(self, event: SessionStarted) -> None:
        cell = self._cells[event.assignment.condition]
        cell.n_assigned += 1
        cell.n_active += 1
        self.n_arrivals = max(self.n_arrivals, event.assignment.arrival + 1)
        allocation = _allocation_of(event.assignment)
        # Reuse an equal allocation, so that memory does not grow with the number of sessions.
        allocation = self._allocations.setdefault(allocation, allocation)
        self._active[event.session_id] = _ActiveSession(allocation, event.at_ms)
        self._overdue_after_ms = min(self._overdue_after_ms, event.at_ms + self._release_ms)
        self._session_of[event.participant_id] = event.session_id
        self._hold(allocation, +1)

    def _end(self, session_id: str, *, is_completed: bool) -> None:
        # An excluded session has already given back its place.
        holder = self._active.pop(session_id, None)
        if holder is None or not holder.is_counted:
            return
        cell = self._cells[holder.allocation.condition]
        cell.n_active -= 1
        if is_completed:
            cell.n_completed += 1
            self._completed[session_id] = holder.allocation
        else:
            self._hold(holder.allocation, -1)

    def _drop(self, session_id: str) -> None:
        holder = self._active.get(session_id)
        if holder is not None and holder.is_counted:
            holder.is_counted = False
            self._cells[holder.allocation.condition].n_active -= 1
            self._hold(holder.allocation, -1)
        allocation = self._completed.pop(session_id, None)
        if allocation is not None:
            self._cells[allocation.condition].n_completed -= 1
            self._hold(allocation, -1)

    def _hold(self, allocation: _Allocation, change: int) -> None:
        for factor, order in allocation.orders:
            self.held_orders(allocation.condition, factor)[order] += change
        for item_set, index in allocation.lists:
            self.held_lists(allocation.condition, item_set)[index] += change


def _allocation_of(assignment: Assignment) -> _Allocation:
    return _Allocation(assignment.condition, tuple(assignment.orders.items()), tuple(assignment.lists.items()))
