"""The monitor: numbers of a live study folded from what is new in the log, without conditions where it is blind."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import log2
from string import ascii_uppercase
from threading import Lock
from typing import Any

import numpy as np

from understudy.conduct import Script
from understudy.conduct.visits import blocks_by_condition
from understudy.record import Log, ProgressEvent, Tombstone, tombstone_ids
from understudy.schema import Study, seed_from
from understudy.schema.log_entries import DeskAction

# Times in cells, eight to a doubling, so that a median is known to about 5 % without keeping every time.

CELLS = 128
"""Cells of one page; the last holds everything from an hour on."""
_PER_OCTAVE = 8
_SHORTEST_MS = 50.0
_FEWEST = 5
"""Answers before a median is told."""


def cell_of(rt_ms: float) -> int:
    """Return the cell of a time."""
    if rt_ms <= _SHORTEST_MS:
        return 0
    return min(CELLS - 1, int(_PER_OCTAVE * log2(rt_ms / _SHORTEST_MS)))


def median_s(cells: Mapping[int, int]) -> float | None:
    """Return the median of the times in some cells, in seconds; None with few of them."""
    n = sum(cells.values())
    if n < _FEWEST:
        return None
    passed = 0
    for cell in sorted(cells):
        passed += cells[cell]
        if 2 * passed >= n:
            return float(_SHORTEST_MS * 2 ** ((cell + 0.5) / _PER_OCTAVE) / 1000)
    return None


N_AT_ONCE = 1500
"""Events that one look takes in: after a restart, the rest follows with the next looks."""
LEFT = ("abandoned", "withdrew")
_BY_HAND = ("desk", "withdrew")


@dataclass(slots=True)
class _Watched:
    """What is kept of one session: nothing that people said, and nothing by which they could be known."""

    condition: str
    kind: str
    day: str
    furthest: int = -1
    at: int = 0
    outcome: str | None = None
    excluded_by: str | None = None
    failed_gates: frozenset[str] = frozenset()
    pay: float = 0.0
    device: str = ""
    connection: str = ""
    cells: "array[int]" = field(default_factory=lambda: array("H"))

    @property
    def has_left(self) -> bool:
        return self.outcome in LEFT

    @property
    def is_complete(self) -> bool:
        return self.outcome == "completed" and self.excluded_by is None

    @property
    def has_failed(self) -> bool:
        """Whether a gate or a declared rule took the person out."""
        return self.outcome == "screened_out" or (self.excluded_by is not None and self.excluded_by not in _BY_HAND)


_MOST_PAID = 1e12
"""More than a session earns in any currency; sums of larger amounts are no numbers any more."""


@dataclass
class Numbers:
    """The sums of one kind of people; pages are counted by their place in the flow."""

    furthest: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    left: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    days: dict[str, dict[str, Counter[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(Counter)))
    totals: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    gates: Counter[str] = field(default_factory=Counter)
    exclusions: Counter[str] = field(default_factory=Counter)
    devices: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)
    spent: float = 0.0

    def total(self, name: str) -> int:
        """Add up a count over conditions."""
        return sum(counter[name] for counter in self.totals.values())


class MonitorFold:
    """The numbers of one study; threads may share it."""

    def __init__(self, log: Log, script: Script) -> None:
        self._log, self._trials, self.study = log, script.trials, script.study
        self.blocks = tuple(script.blocks.values())
        self.met_by = blocks_by_condition(script.study)
        """Condition -> the blocks that its people can come to."""
        self._places = {block.block_id: place for place, block in enumerate(self.blocks)}
        self._lock = Lock()
        self._position = 0
        self._last = 0
        self._sessions: dict[str, _Watched] = {}
        self._numbers: dict[str, Numbers] = defaultdict(Numbers)
        self._hashes: frozenset[str] = frozenset()
        self.unreadable: set[str] = set()
        """Sessions with an event that was not one; what was read of them before counts."""
        self._stones: tuple[Tombstone, ...] = ()

    @property
    def read_share(self) -> float:
        """How much of the log has been taken in, from 0 to 1."""
        return self._position / self._last if self._last else 1.0

    @property
    def is_watched(self) -> bool:
        """Whether somebody has looked since the server started."""
        return self._position > 0

    def advance(self, limit: int = N_AT_ONCE) -> bool:
        """Take in what is new, at most `limit` events, and tell whether that was all."""
        with self._lock:
            news = self._log.progress_events(self.study.name, self._position, limit)
            for event in news.events:
                try:
                    self._take(event)
                except (LookupError, TypeError, ValueError, OverflowError, OSError):
                    # One session that cannot be read takes nobody else's numbers with it.
                    self.unreadable.add(event.session_id)
            self._position, self._last = news.position, max(news.last, news.position)
            if news.erased != self._hashes:
                self._forget(news.erased)
            return self._position >= self._last

    def numbers(self, kind: str) -> Numbers:
        """Return the sums of one kind of people; only `advance` changes them."""
        return self._numbers[kind]

    def n_of_kind(self, kind: str) -> int:
        """Count the sessions of one kind of people."""
        return self._numbers[kind].total("started")

    def times(self, kind: str, place: int) -> dict[int, int]:
        """Return how many answers on a block's pages took how long, by cell."""
        times, first = self._numbers[kind].times, place * CELLS
        return {cell - first: times[cell] for cell in range(first, first + CELLS) if times[cell]}

    def erased(self, kind: str, condition: str) -> int:
        """Count people of a condition who withdrew and took everything back."""
        return sum(stone.participant_kind == kind and stone.condition == condition for stone in self._stones)

    def _take(self, event: ProgressEvent) -> None:
        body = event.body
        if body["type"] == "session_started":
            day = datetime.fromtimestamp(body["at_ms"] / 1000, UTC).date().isoformat()
            known = _Watched(body["assignment"]["condition"], body["participant_kind"], day)
            self._sessions[event.session_id] = known
            self._add(known, 1)
            return
        known_session = self._sessions.get(event.session_id)
        if known_session is None:
            return
        # Nearly all events; they change one sum each, while the session runs.
        if known_session.outcome is None and body["type"] in ("trial_shown", "response_given"):
            self._follow(known_session, body)
            return
        self._add(known_session, -1)
        self._change(known_session, body)
        self._add(known_session, 1)

    def _follow(self, session: _Watched, body: dict[str, Any]) -> None:
        """Take in that a running session was shown a page or answered it."""
        before = session.furthest
        self._change(session, body)
        if session.furthest != before:
            furthest = self._numbers[session.kind].furthest[session.condition]
            furthest[before] -= 1
            furthest[session.furthest] += 1

    def _change(self, session: _Watched, body: dict[str, Any]) -> None:
        match body["type"]:
            case "trial_shown":
                session.at = self._place_of(body["trial_id"], session.at)
                session.furthest = max(session.furthest, session.at)
            case "response_given":
                place = self._place_of(body["trial_id"], -1)
                if place >= 0:
                    cell = place * CELLS + cell_of(body["rt_ms"])
                    session.cells.append(cell)
                    self._numbers[session.kind].times[cell] += 1
            case "interacted" if body["action"] == "surroundings":
                session.device = str(body["payload"].get("device", ""))
                session.connection = str(body["payload"].get("connection", ""))
            case "gate_decided" if not body["is_passed"]:
                session.failed_gates |= {body["block_id"]}
            case "session_ended":
                session.outcome = body["outcome"]
            case "session_excluded":
                session.excluded_by = body["exclusion_id"]
            case "pay_settled":
                paid = body["base"] + body["bonus"]
                if not 0 <= paid < _MOST_PAID:
                    raise ValueError("no session earns as much")
                session.pay = paid

    def _place_of(self, trial_id: str, otherwise: int) -> int:
        trial = self._trials.get(trial_id)
        return otherwise if trial is None else self._places[trial.block_id]

    def _add(self, session: _Watched, sign: int) -> None:
        """Put what a session says into the sums, or take it out."""
        numbers = self._numbers[session.kind]
        total, day = numbers.totals[session.condition], numbers.days[session.day][session.condition]
        numbers.furthest[session.condition][session.furthest] += sign
        total["started"] += sign
        day["started"] += sign
        if session.has_left:
            numbers.left[session.condition][session.at] += sign
            total["left"] += sign
            day["left"] += sign
        if session.is_complete:
            total["completed"] += sign
            day["completed"] += sign
        if session.outcome in ("completed", *LEFT):
            total["ended"] += sign
        if session.outcome is not None and session.outcome != "declined":
            total["decided"] += sign
            total["failed"] += sign * session.has_failed
        if session.excluded_by is not None:
            numbers.exclusions[session.excluded_by] += sign
        for gate in session.failed_gates:
            numbers.gates[gate] += sign
        if session.device:
            numbers.devices[session.device] += sign
            numbers.connections[session.connection] += sign
        numbers.spent += sign * session.pay

    def _forget(self, hashes: frozenset[str]) -> None:
        self._hashes = hashes
        self._stones = self._log.tombstones(self.study.name)
        for session_id in [known for known in self._sessions if not hashes.isdisjoint(tombstone_ids(known))]:
            session = self._sessions.pop(session_id)
            self._add(session, -1)
            self._numbers[session.kind].times.subtract(Counter(session.cells))


def cumulated(counts: Counter[int], n: int) -> Sequence[int]:
    """Return how many came at least as far as each place."""
    reached = []
    total = sum(count for place, count in counts.items() if place >= 0)
    for place in range(n):
        reached.append(total)
        total -= counts[place]
    return reached


# Blinding: conditions are called A, B, … until a researcher asks for their names, which the log keeps with the reason.


def blind_order(study: Study) -> list[str]:
    """Return the conditions in an order that says nothing: the first of the study file is not always A."""
    names = [cell.name for cell in study.cells]
    order = np.random.default_rng(seed_from(study.seed, "blind labels")).permutation(len(names))
    return [names[int(place)] for place in order]


def blind_label(place: int) -> str:
    """Return the label of a condition.

    >>> [blind_label(0), blind_label(25), blind_label(26)]
    ['A', 'Z', 'AA']
    """
    times, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] * (times + 1)


def label_order(label: str) -> tuple[int, str]:
    """Return by what letters are sorted: Z comes before AA."""
    return len(label), label


def desk_labels(study: Study, steering: Sequence[DeskAction], *, has_people: bool) -> dict[str, str]:
    """Return what the desk calls each condition: a letter in a blinded study, until somebody has asked for the names."""
    # Simulated people have no outcomes to be blind to.
    if not study.plan.blinded or not has_people or is_unblinded(steering):
        return {cell.name: cell.name for cell in study.cells}
    return {name: blind_label(place) for place, name in enumerate(blind_order(study))}


def is_unblinded(steering: Sequence[DeskAction]) -> bool:
    """Tell whether somebody has asked for the names."""
    return any(action.action == "unblinded" for action in steering)
