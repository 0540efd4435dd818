"""One dial at a time: draw it along, stop when things look worse, go back to where they looked best, and tune."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from understudy.participants.dials.habits import Habits, gives_up, pause, reach, way_across
from understudy.participants.dials.hand import FRAME_MS, Hand
from understudy.participants.dials.page import Seen
from understudy.roles import Floats, Rng

Badness: TypeAlias = Callable[[Seen], Floats]
"""How far from a match each of some pictures seems to the person."""

MAX_VISITS = 300
"""Nobody turns dials longer than this; whoever may not skip by then leaves the study."""
NEAR = 0.06
"""How far around the best place a dial is tuned, in widths."""
SLOWER = 3.0
"""Tuning takes so many times longer for the same way."""
N_WORSE = 2
"""So many looks in a row that are worse make a person turn back."""


class Watching:
    """Remembers the best place of a dial while it moves, and says when to let go."""

    def __init__(self, badness: Badness, dial: int, *, every: int, margin: float) -> None:
        self.best: float | None = None
        self.least = np.inf
        self._badness, self._dial = badness, dial
        self._every, self._margin = every, margin
        self._hand: Hand | None = None

    def begin(self, hand: Hand) -> None:
        """Look at where the dial stands before it moves."""
        self._hand = hand
        self.best, self.least = hand.value(self._dial), float(self._badness(hand.now())[0])

    def turns_back(self, seen: Seen) -> int:
        """Return after how many frames it has looked worse often enough to turn back."""
        at = np.arange(self._every - 1, len(seen.codes), self._every)
        if len(at) == 0 or at[-1] != len(seen.codes) - 1:
            at = np.append(at, len(seen.codes) - 1)
        felt = self._badness(Seen(seen.codes[at], seen.outputs[at], seen.agreements[at], seen.errors[at]))
        n_worse = 0
        for place, one in zip(at.tolist(), felt.tolist(), strict=True):
            if one < self.least:
                self.least = one
                self.best = self._value(seen, place)
            n_worse = n_worse + 1 if one > self.least + self._margin else 0
            if n_worse == N_WORSE:
                return int(place) + 1
        return len(seen.codes)

    def _value(self, seen: Seen, place: int) -> float:
        if self._hand is None:
            raise RuntimeError("watching began before a hand was on the dial")
        return self._hand.page.value(seen.codes[place], self._dial)


def turn(hand: Hand, dial: int, badness: Badness, habits: Habits, rng: Rng, *, margin: float) -> None:
    """Bring one dial to where the match seems best; a match on the way ends it."""
    every = max(round(habits.glance_ms / FRAME_MS), 1)
    watching = Watching(badness, dial, every=every, margin=margin)
    watching.begin(hand)
    one = hand.page.dials[dial]
    if one.kind == "discrete":
        _try_options(hand, dial, watching, habits)
    else:
        _draw_along(hand, dial, watching, habits, rng, is_thorough=np.isinf(margin))
    if hand.is_solved or watching.best is None:
        return
    reach(hand, dial, watching.best, habits, rng)
    if not hand.is_solved:
        pause(hand, habits.check_ms, rng)


def one_dial_at_a_time(hand: Hand, badness: Badness, habits: Habits, rng: Rng, *, margin: float) -> bool | None:
    """Work through the dials from the first to the last and over again; None when nothing leads out.

    A round that made nothing look better may end in a fresh start: one dial is put somewhere else, and the others are
    gone through as if they were new.
    """
    pause(hand, 2 * habits.think_ms, rng)
    n = len(hand.page.dials)
    first, n_fresh, before = 0, n, np.inf
    for visit in range(MAX_VISITS):
        pause(hand, habits.think_ms, rng)
        is_new = n_fresh > 0 and rng.random() < habits.explores
        turn(hand, (first + visit) % n, badness, habits, rng, margin=np.inf if is_new else margin)
        n_fresh -= 1
        if hand.is_solved:
            return True
        if gives_up(hand, habits, rng):
            return False
        if habits.restarts and (visit + 1) % n == 0:
            now = float(badness(hand.now())[0])
            if now >= before - margin and rng.random() < habits.restarts:
                moved = int(rng.integers(n))
                _put_anywhere(hand, moved, habits, rng)
                first, n_fresh, now = moved - visit, n - 1, np.inf
            before = now
    return False if hand.is_offered else None


def _put_anywhere(hand: Hand, dial: int, habits: Habits, rng: Rng) -> None:
    one = hand.page.dials[dial]
    is_discrete = one.kind == "discrete"
    reach(hand, dial, float(rng.integers(one.n_inputs) if is_discrete else rng.uniform(one.low, one.high)), habits, rng)


def _draw_along(hand: Hand, dial: int, watching: Watching, habits: Habits, rng: Rng, *, is_thorough: bool) -> None:
    one, start = hand.page.dials[dial], hand.value(dial)
    ends = [one.high, one.low] if rng.random() < 0.5 else [one.low, one.high]
    for end in ends:
        values = way_across(hand, dial, end, habits.pace_s)
        if len(values):
            hand.drag(dial, values, until=watching.turns_back)
        if hand.is_solved:
            return
        if watching.best != start and not is_thorough:
            break
    if watching.best == start or watching.best is None:
        return
    reach(hand, dial, watching.best, habits, rng)
    for side in (-NEAR, NEAR):
        if not hand.is_solved:
            to = float(np.clip(watching.best + side * one.width, one.low, one.high))
            hand.drag(dial, way_across(hand, dial, to, SLOWER * habits.pace_s), until=watching.turns_back)


def _try_options(hand: Hand, dial: int, watching: Watching, habits: Habits) -> None:
    for option in range(hand.page.dials[dial].n_inputs):
        if not hand.is_solved and option != hand.value(dial):
            hand.drag(dial, np.array([float(option)]), frame_ms=2 * habits.glance_ms, until=watching.turns_back)
