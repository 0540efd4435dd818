"""One dial at a time: drag it, stop when the match gets worse, return to the best position, and fine-tune."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from understudy.participants.dials.habits import Habits, gives_up, pause, reach, steady_path
from understudy.participants.dials.hand import FRAME_MS, Hand
from understudy.participants.dials.page import Frames
from understudy.roles import Floats, Rng

Mismatch: TypeAlias = Callable[[Frames], Floats]
"""How far from a match each picture seems to the person."""

MAX_VISITS = 300
"""The most visits in a question; a person who cannot skip by then leaves the study."""
NEAR = 0.06
"""How far around the best position a dial is fine-tuned, in widths."""
SLOWER = 3.0
"""How many times slower fine-tuning is."""
N_WORSE = 2
"""How many worse looks in a row make a person turn back."""


class DialWatcher:
    """Remembers the best position of a dial while it moves, and says when to let go."""

    def __init__(self, mismatch: Mismatch, dial: int, *, every: int, margin: float) -> None:
        self.best: float | None = None
        self.least = np.inf
        self._mismatch, self._dial = mismatch, dial
        self._every, self._margin = every, margin
        self._hand: Hand | None = None
        self._n_frames = self._n_worse = 0

    def begin(self, hand: Hand) -> None:
        """Look at the picture before the dial moves."""
        self._hand = hand
        self.best, self.least = hand.value(self._dial), float(self._mismatch(hand.now())[0])

    def turns_back(self, frames: Frames, *, is_last: bool) -> int | None:
        """Return after how many of these frames it has looked worse often enough to turn back, or None."""
        at = np.flatnonzero((self._n_frames + 1 + np.arange(len(frames.codes))) % self._every == 0)
        self._n_frames += len(frames.codes)
        # The final frame is always looked at.
        if is_last and (len(at) == 0 or at[-1] != len(frames.codes) - 1):
            at = np.append(at, len(frames.codes) - 1)
        felt = self._mismatch(Frames(frames.codes[at], frames.outputs[at], frames.agreements[at], frames.errors[at]))
        for frame, value in zip(at.tolist(), felt.tolist(), strict=True):
            if value < self.least:
                self.least = value
                self.best = self._value(frames, frame)
            self._n_worse = self._n_worse + 1 if value > self.least + self._margin else 0
            if self._n_worse == N_WORSE:
                self._n_frames = self._n_worse = 0
                return int(frame) + 1
        if is_last:
            # The next movement of this dial is watched afresh.
            self._n_frames = self._n_worse = 0
        return None

    def _value(self, frames: Frames, frame: int) -> float:
        if self._hand is None:
            raise RuntimeError("turns_back was called before begin")
        return self._hand.page.value(frames.codes[frame], self._dial)


def turn(hand: Hand, dial: int, mismatch: Mismatch, habits: Habits, rng: Rng, *, margin: float) -> None:
    """Move one dial to where the match seems best; stop at a match."""
    every = max(round(habits.glance_ms / FRAME_MS), 1)
    watcher = DialWatcher(mismatch, dial, every=every, margin=margin)
    watcher.begin(hand)
    spec = hand.page.dials[dial]
    if spec.kind == "discrete":
        _try_options(hand, dial, watcher, habits)
    else:
        _sweep(hand, dial, watcher, habits, rng, is_thorough=np.isinf(margin))
    if hand.is_solved or watcher.best is None:
        return
    reach(hand, dial, watcher.best, habits, rng)
    if not hand.is_solved:
        pause(hand, habits.check_ms, rng)


def one_dial_at_a_time(hand: Hand, mismatch: Mismatch, habits: Habits, rng: Rng, *, margin: float) -> bool | None:
    """Work through the dials from first to last, repeatedly; return None to leave the study.

    A round without improvement may end in a fresh start: one dial is put somewhere else, and the others are treated as
    new.
    """
    pause(hand, 2 * habits.think_ms, rng)
    n = len(hand.page.dials)
    first, n_fresh, before = 0, n, np.inf
    for visit in range(MAX_VISITS):
        pause(hand, habits.think_ms, rng)
        is_new = n_fresh > 0 and rng.random() < habits.explores
        turn(hand, (first + visit) % n, mismatch, habits, rng, margin=np.inf if is_new else margin)
        n_fresh -= 1
        if hand.is_solved:
            return True
        if gives_up(hand, habits, rng):
            return False
        if habits.restarts and (visit + 1) % n == 0:
            now = float(mismatch(hand.now())[0])
            if now >= before - margin and rng.random() < habits.restarts:
                moved = int(rng.integers(n))
                _put_anywhere(hand, moved, habits, rng)
                # Continue after the moved dial: the next visit adds one to the number of this visit.
                first, n_fresh, now = moved - visit, n - 1, np.inf
            before = now
    return False if hand.is_offered else None


def _put_anywhere(hand: Hand, dial: int, habits: Habits, rng: Rng) -> None:
    spec = hand.page.dials[dial]
    is_discrete = spec.kind == "discrete"
    reach(
        hand, dial, float(rng.integers(spec.n_inputs) if is_discrete else rng.uniform(spec.low, spec.high)), habits, rng
    )


def _sweep(hand: Hand, dial: int, watcher: DialWatcher, habits: Habits, rng: Rng, *, is_thorough: bool) -> None:
    spec, start = hand.page.dials[dial], hand.value(dial)
    ends = [spec.high, spec.low] if rng.random() < 0.5 else [spec.low, spec.high]
    for end in ends:
        values = steady_path(hand, dial, end, habits.pace_s)
        if len(values):
            hand.drag(dial, values, until=watcher.turns_back)
        if hand.is_solved:
            return
        if watcher.best != start and not is_thorough:
            break
    if watcher.best == start or watcher.best is None:
        return
    reach(hand, dial, watcher.best, habits, rng)
    for side in (-NEAR, NEAR):
        if not hand.is_solved:
            to = float(np.clip(watcher.best + side * spec.width, spec.low, spec.high))
            hand.drag(dial, steady_path(hand, dial, to, SLOWER * habits.pace_s), until=watcher.turns_back)


def _try_options(hand: Hand, dial: int, watcher: DialWatcher, habits: Habits) -> None:
    for option in range(hand.page.dials[dial].n_inputs):
        if not hand.is_solved and option != hand.value(dial):
            hand.drag(dial, np.array([float(option)]), frame_ms=2 * habits.glance_ms, until=watcher.turns_back)
