"""Assignment: conditions, orders and item lists of new arrivals, from the seed and the ledger; where everybody is."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np

from understudy.registry import create
from understudy.roles import Design, Ordering, Place
from understudy.schema import Assignment, Ending, Event, SessionEnded, SessionExcluded, SessionStarted, Study, seed_from
from understudy.schema.study import FollowUp, Standing

# Ledger: counts who holds a place in which condition, updated with every event.


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


def assign(ledger: Ledger, arrival: int, kept: str | None = None) -> Assignment | None:
    """Return the assignment of an arrival, or None while every place is taken.

    `kept` is the condition that somebody brings along from an earlier part; the design chooses otherwise.
    """
    study = ledger.study
    if not ledger.has_room(kept):
        return None
    places = ledger.places()
    # The generator depends on the arrival only, so that an assignment can be recomputed later.
    rng = np.random.default_rng(seed_from(study.seed, "arrival", arrival))
    condition = kept or ledger.design.assign(arrival, places, rng)
    # A design may come from a plugin, so its choice is checked.
    if not next(place for place in places if place.condition == condition).has_room:
        raise AssertionError(f"design {study.assignment.policy.name!r} chose {condition!r}, which has no room")
    orders = {
        factor.name: ledger.orderings[factor.name].order(
            factor.levels, factor.n_drawn or len(factor.levels), ledger.held_orders(condition, factor.name), rng
        )
        for factor in study.factors
        if factor.scope == "within"
    }
    lists = {
        item_set.name: _least_held_list(
            ledger, condition, item_set.name, len(study.factor(item_set.rotates_over).levels), rng
        )
        for item_set in study.item_sets
        if item_set.rotates_over is not None
    }
    levels = next(cell.levels for cell in study.cells if cell.name == condition)
    # JavaScript represents integers exactly only up to 2**53.
    seed = seed_from(study.seed, "session", arrival) % 2**53
    return Assignment(arrival=arrival, condition=condition, levels=levels, orders=orders, lists=lists, seed=seed)


def _least_held_list(ledger: Ledger, condition: str, item_set: str, n_lists: int, rng: np.random.Generator) -> int:
    n_holders = ledger.held_lists(condition, item_set)
    fewest = min(n_holders[index] for index in range(n_lists))
    tied = [index for index in range(n_lists) if n_holders[index] == fewest]
    return tied[int(rng.integers(len(tied)))]


# Who may take a later part of a study: decided from what the log holds of the earlier one.


class EarlierSession(Protocol):
    """What is known of somebody's session in the earlier part."""

    @property
    def outcome(self) -> str | None:
        """How it ended; None while it runs."""

    @property
    def excluded_by(self) -> str | None:
        """The exclusion that applied."""

    @property
    def last_event_ms(self) -> int:
        """When it ended."""


def is_invited(follows: FollowUp, earlier: EarlierSession | None) -> bool:
    """Tell whether a session of the earlier part invites its person to the later one."""
    if earlier is None or earlier.outcome != "completed":
        return False
    return follows.invites == "completed" or earlier.excluded_by is None


def standing_of(follows: FollowUp, earlier: EarlierSession | None, now_ms: Callable[[], int]) -> Standing:
    """Tell whether somebody may start a later part now, and why not."""
    if earlier is None or not is_invited(follows, earlier):
        return "uninvited"
    return follows.standing_at(now_ms(), earlier.last_event_ms)


# Count participants by the status of their session, for the status command, the dashboard and the report.

SessionStatus: TypeAlias = Literal[
    "declined",
    "screened_out",
    "withdrew",
    "abandoned",
    "active",
    "excluded_by_rule",
    "excluded_by_hand",
    "completed",
]
SESSION_STATUSES: tuple[SessionStatus, ...] = get_args(SessionStatus)
"""Every status in the order of a session; each session has exactly one."""
LEFT_EARLY: tuple[SessionStatus, ...] = ("withdrew", "abandoned")
"""The statuses of people who left before the end."""


def session_status(outcome: Ending | None, excluded_by: str | None, rules: Collection[str]) -> SessionStatus:
    """Return the status of a session; `rules` are the exclusions that the study declares.

    A person who left before the end is never counted as excluded as well.
    """
    if outcome is None:
        return "active"
    if outcome == "excluded" or (outcome == "completed" and excluded_by is not None):
        return "excluded_by_rule" if excluded_by in rules else "excluded_by_hand"
    return outcome


class Headcount(NamedTuple):
    """How many sessions have each status."""

    at: Counter[SessionStatus]
    n_erased: int = 0
    """Sessions erased on request; they count as left early."""

    @property
    def n_came(self) -> int:
        """All sessions, erased ones included."""
        return self.at.total() + self.n_erased

    @property
    def n_left(self) -> int:
        """Sessions that ended early, erased ones included."""
        return sum(self.at[stop] for stop in LEFT_EARLY) + self.n_erased

    @property
    def n_excluded(self) -> int:
        """Sessions excluded by a rule or by hand."""
        return self.at["excluded_by_rule"] + self.at["excluded_by_hand"]

    @property
    def n_gone(self) -> int:
        """Sessions that were declined, screened out or left early."""
        return self.at["declined"] + self.at["screened_out"] + self.n_left


def headcount(stops: Iterable[SessionStatus], *, n_erased: int = 0) -> Headcount:
    """Count sessions by status."""
    return Headcount(Counter(stops), n_erased)
