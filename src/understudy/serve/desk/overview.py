"""The sessions of a study as the dashboard sees them, kept up to date by folding in only what is new in the log.

Several dashboards ask every few seconds, while participants wait for the same process: counting every session again
would take seconds of it in a large study.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import NamedTuple

from understudy.conduct import Headcount, SessionStatus, session_status
from understudy.record import Log, SessionSummary, Tombstone, tombstone_ids
from understudy.schema import PaySettled, SessionFlagged, Study


class _Completed(NamedTuple):
    """What a completed session adds to the medians."""

    minutes: float
    pay_per_hour: float | None


class Sorted:
    """Numbers in order, so that their median is known at once."""

    def __init__(self) -> None:
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """Put a number in."""
        insort(self._values, value)

    def remove(self, value: float) -> None:
        """Take out a number that was put in."""
        del self._values[bisect_left(self._values, value)]

    @property
    def median(self) -> float | None:
        """The median; None without numbers."""
        n = len(self._values)
        return (self._values[(n - 1) // 2] + self._values[n // 2]) / 2 if n else None


class Overview:
    """Summaries, flags and counts of one study's sessions; threads may share it."""

    def __init__(self, log: Log, study: Study) -> None:
        self._log, self._study = log, study
        self._rules = frozenset(exclusion.exclusion_id for exclusion in study.exclusions)
        self._lock = Lock()
        self._position = 0
        self._sessions: dict[str, SessionSummary] = {}
        self._flags: dict[str, tuple[SessionFlagged, ...]] = {}
        self._pay: dict[str, PaySettled] = {}
        self._at: dict[tuple[str, str], Counter[SessionStatus]] = {}
        self._completed: dict[str, _Completed] = {}
        self._minutes, self._pay_per_hour = Sorted(), Sorted()
        self._erased: tuple[Tombstone, ...] = ()

    def refreshed(self) -> "Snapshot":
        """Fold in what is new in the log and return what is known now; called in a thread."""
        with self._lock:
            changes = self._log.changes(self._study.name, self._position)
            for event in changes.noted:
                if isinstance(event, PaySettled):
                    self._pay[event.session_id] = event
                elif isinstance(event, SessionFlagged):
                    self._flags[event.session_id] = (*self._flags.get(event.session_id, ()), event)
            for summary in changes.summaries:
                self._drop(summary.session_id)
                self._sessions[summary.session_id] = summary
                self._count(summary)
            self._position = changes.position
            if changes.n_erased != len(self._erased):
                self._forget_erased()
            return Snapshot(
                tuple(self._sessions.values()),
                dict(self._flags),
                {key: Counter(at) for key, at in self._at.items()},
                self._erased,
                self._minutes.median,
                self._pay_per_hour.median,
            )

    def _forget_erased(self) -> None:
        self._erased = self._log.tombstones(self._study.name)
        hashes = {tombstone.session_hash for tombstone in self._erased}
        for session_id in [known for known in self._sessions if not hashes.isdisjoint(tombstone_ids(known))]:
            self._drop(session_id)
            del self._sessions[session_id]
            self._flags.pop(session_id, None)
            self._pay.pop(session_id, None)

    def _count(self, summary: SessionSummary) -> None:
        self._at.setdefault(_cell_of(summary), Counter())[self._status(summary)] += 1
        if summary.outcome == "completed":
            minutes = minutes_of(summary)
            pay = self._pay.get(summary.session_id)
            rate = (pay.base + pay.bonus) * 60 / minutes if pay is not None and minutes > 0 else None
            self._completed[summary.session_id] = _Completed(minutes, rate)
            self._minutes.add(minutes)
            if rate is not None:
                self._pay_per_hour.add(rate)

    def _drop(self, session_id: str) -> None:
        """Take what a session added so far out of the counts."""
        known = self._sessions.get(session_id)
        if known is None:
            return
        self._at[_cell_of(known)][self._status(known)] -= 1
        completed = self._completed.pop(session_id, None)
        if completed is not None:
            self._minutes.remove(completed.minutes)
            if completed.pay_per_hour is not None:
                self._pay_per_hour.remove(completed.pay_per_hour)

    def _status(self, summary: SessionSummary) -> SessionStatus:
        return session_status(summary.outcome, summary.excluded_by, self._rules)


class Snapshot(NamedTuple):
    """What was known of a study at one moment."""

    summaries: Sequence[SessionSummary]
    """All sessions in order of start."""
    flags: dict[str, tuple[SessionFlagged, ...]]
    at: dict[tuple[str, str], Counter[SessionStatus]]
    """How many sessions of each kind and condition have each status."""
    erased: tuple[Tombstone, ...]
    median_minutes: float | None
    """Of completed sessions."""
    median_pay_per_hour: float | None
    """Of completed sessions, base and bonus together."""

    def n_of_kind(self, kind: str) -> int:
        """Count the sessions of one kind of people."""
        return sum(counter.total() for counter in self._counters(kind, None))

    def headcount(self, kind: str, condition: str | None = None) -> Headcount:
        """Count people of one kind by status, in one condition or in all."""
        total: Counter[SessionStatus] = Counter()
        for counter in self._counters(kind, condition):
            total.update(counter)
        gone = (stone for stone in self.erased if stone.participant_kind == kind)
        return Headcount(total, sum(condition in (None, stone.condition) for stone in gone))

    def _counters(self, kind: str, condition: str | None) -> Iterator[Counter[SessionStatus]]:
        return (at for key, at in self.at.items() if key[0] == kind and condition in (None, key[1]))


def minutes_of(summary: SessionSummary) -> float:
    """Return the minutes from the start of a session to its latest event."""
    return max(0, summary.last_event_ms - summary.started_ms) / 60_000


def _cell_of(summary: SessionSummary) -> tuple[str, str]:
    return summary.participant_kind, summary.condition
