"""The sessions of a study as the dashboard sees them, kept up to date by folding in only what is new in the log.

Several dashboards ask every few seconds, while participants wait for the same process: counting every session again
would take seconds of it in a large study.
"""

import contextlib
import json
from bisect import bisect_left, insort
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from understudy.conduct import Headcount, Script, SessionStatus, session_status
from understudy.conduct.copies import Copies
from understudy.conduct.visits import blocks_by_condition
from understudy.errors import LogError
from understudy.record import Log, SessionSummary, Tombstone, tombstone_ids
from understudy.schema import Event, Interacted, PaySettled, ResponseGiven, SessionFlagged, Study, TrialShown
from understudy.schema.events import seen_ms


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


# Session facts: what the dashboard tells of one session beyond its summary, folded event by event.
#
# A fold needs nothing but the session's events in order, so that it can be continued where it stopped.

FAST_MS = 1000
"""Nobody reads a question and answers it in less."""
N_FAST, N_HIDDEN, N_SAME = 3, 5, 8
"""From how many quick answers, hidden pages and equal answers on researchers are told."""
_N_KEPT = 20_000


@dataclass
class _Answers:
    """The answers to one question: how many, and whether they were all the same."""

    first: int
    n: int = 1
    is_same: bool = True


@dataclass
class SessionFacts:
    """Where somebody is, when they were last heard of, and what looks unusual."""

    step: int | None = None
    trial_id: str = ""
    last_seen_ms: int | None = None
    n_fast: int = 0
    n_hidden: int = 0
    n_pasted: int = 0
    _answers: dict[str, _Answers] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Fold one event in; events of the engine and the desk change nothing."""
        if not isinstance(event, TrialShown | Interacted | ResponseGiven):
            return
        self.last_seen_ms = max(self.last_seen_ms or 0, seen_ms(event))
        if isinstance(event, TrialShown):
            self.step, self.trial_id = event.step, event.trial_id
        elif isinstance(event, Interacted):
            self.n_hidden += event.action == "page_hidden"
            self.n_pasted += event.action == "pasted"
        else:
            self._answer(event)

    def _answer(self, event: ResponseGiven) -> None:
        if event.response:
            self.n_fast += event.rt_ms < FAST_MS
        for question_id, answer in event.response.items():
            # A hash and not the answer itself: nothing of a person is kept when their session is erased.
            mark = hash(json.dumps(answer, sort_keys=True))
            known = self._answers.get(question_id)
            if known is None:
                self._answers[question_id] = _Answers(mark)
            else:
                known.n += 1
                known.is_same = known.is_same and mark == known.first

    def warnings(self) -> tuple[str, ...]:
        """Say in one sentence each what researchers should look at; nothing of it excludes anybody."""
        said = []
        if self.n_fast >= N_FAST:
            said.append(f"Too fast: {self.n_fast} answers in less than a second.")
        if self.n_hidden >= N_HIDDEN:
            said.append(f"Left the page {self.n_hidden} times.")
        if self.n_pasted:
            said.append(f"Pasted text {'once' if self.n_pasted == 1 else f'{self.n_pasted} times'}.")
        said += [
            f"Same answers: {answers.n} times the same to {question_id}."
            for question_id, answers in self._answers.items()
            if answers.is_same and answers.n >= N_SAME
        ]
        return tuple(said)


def warnings_in(events: Iterable[Event]) -> tuple[str, ...]:
    """Return all that was noticed about a session, by the engine and here."""
    facts, flagged = SessionFacts(), []
    for event in events:
        facts.take(event)
        if isinstance(event, SessionFlagged):
            flagged.append(event.reason)
    return (*flagged, *facts.warnings())


class FactsCache:
    """The facts of recently listed sessions, folded again only when their summary has changed."""

    def __init__(self, log: Log, script: Script) -> None:
        self._log = log
        self._script = script
        self._kept: OrderedDict[str, tuple[int, SessionFacts]] = OrderedDict()
        self._copies = Copies()
        self._lock = Lock()

    def copies_of(self, summaries: Sequence[SessionSummary]) -> dict[str, tuple[str, ...]]:
        """Say which people's ended sessions are copies of one another; called in a thread, it reads each of them once."""
        for summary in summaries:
            if summary.outcome is None or summary.participant_kind != "person" or self._copies.has(summary.session_id):
                continue
            # Erased or damaged meanwhile: then there is nothing to compare.
            with contextlib.suppress(LogError):
                events = self._log.session(summary.session_id)
                with self._lock:
                    self._copies.note(summary.session_id, events)
        with self._lock:
            return dict(self._copies.found())

    def of(self, summary: SessionSummary) -> SessionFacts:
        """Return the facts of a session; called in a thread."""
        with self._lock:
            kept = self._kept.get(summary.session_id)
        if kept is not None and kept[0] == summary.last_event_ms:
            return kept[1]
        facts = SessionFacts()
        for event in self._log.session(summary.session_id):
            facts.take(event)
        with self._lock:
            self._kept[summary.session_id] = (summary.last_event_ms, facts)
            if len(self._kept) > _N_KEPT:
                self._kept.popitem(last=False)
        return facts

    def forget(self, session_id: str) -> None:
        """Drop what is known of an erased session."""
        with self._lock:
            self._kept.pop(session_id, None)
            self._copies.forget(session_id)

    def step_of(self, facts: SessionFacts, *, is_blind: bool = False) -> str | None:
        """Return where somebody is, in words for researchers.

        Where conditions are hidden, that is the last block that all conditions have: the number of a step and the pages of
        one condition would tell which one somebody is in.
        """
        if facts.step is None:
            return None
        trial = self._script.trials.get(facts.trial_id)
        if is_blind:
            return None if trial is None else self._shared_block(trial.block_id)
        return f"{facts.step + 1}" if trial is None else f"{facts.step + 1} · {_words(trial.block_id)}"

    def _shared_block(self, block_id: str) -> str | None:
        shared = frozenset.intersection(*blocks_by_condition(self._script.study).values())
        names = list(self._script.blocks)
        passed = [name for name in names[: names.index(block_id) + 1] if name in shared]
        return _words(passed[-1]) if passed else None


def _words(block_id: str) -> str:
    return block_id.replace("_", " ")
