"""The hand on the dials: habits, and moves frame by frame."""

from collections.abc import Callable
from math import log2
from typing import Protocol, TypeAlias

import numpy as np
from pydantic import Field, JsonValue

from understudy.participants.dial_page import SLACK, DialPage, Frames
from understudy.roles import Floats, Interaction, Rng
from understudy.schema import Json, Record

FRAME_MS = 50.0
"""How often a moving dial updates the picture for a simulated person."""
SNAPSHOT_MS = 100.0
"""The shortest time between two snapshots of one movement."""
PAUSE_MS = 3000.0
"""The active clock counts pauses up to this length; the legacy clock ignores pauses this long or longer."""

QUICK_EVERY = 5
"""Which frames a quick page decodes: those at which a person with ordinary habits looks."""


class StopRule(Protocol):
    """Says when to let go of a moving dial."""

    def __call__(self, frames: Frames, *, is_last: bool) -> int | None:
        """Return after how many of the next frames to let go, or None to move on."""


class Hand:
    """One person's hand during one question."""

    def __init__(self, page: DialPage) -> None:
        first = page.look(page.start[None])
        self.page = page
        self.code: Floats = page.start.copy()
        self.output: Floats = first.outputs[0]
        self.t_ms = 0.0
        self.is_solved = False
        """Whether the match was found, which locks the dials."""
        self.is_offered = False
        """Whether the page offers to skip the question."""
        self.traces: list[Interaction] = []
        self._agreement, self._error = float(first.agreements[0]), float(first.errors[0])
        self._active_ms = self._marked_ms = 0.0
        self._last: tuple[int, int] | None = None
        self._is_unmarked = False
        self._trace(
            "question_started",
            {
                **self._state(),
                "widths": [dial.width for dial in page.dials],
                "kinds": [dial.kind for dial in page.dials],
                "inputs": [dial.n_inputs for dial in page.dials],
                "threshold": page.threshold,
                "distance": page.distance_name,
                **({"labels": [""] * len(page.dials)} if page.has_labels else {}),
            },
        )
        self._offer_if_due()

    def now(self) -> Frames:
        """Return the current screen."""
        return Frames(self.code[None], self.output[None], np.array([self._agreement]), np.array([self._error]))

    def value(self, dial: int) -> float:
        """Return the position of a dial."""
        return self.page.value(self.code, dial)

    def wait(self, for_ms: float) -> None:
        """Let time pass without a movement."""
        self.t_ms += for_ms
        self._offer_if_due()

    def drag(self, dial: int, values: Floats, *, frame_ms: float = FRAME_MS, until: StopRule | None = None) -> Frames:
        """Move a dial through values, one per frame, and return the frames; a match stops the hand at once."""
        if len(values) == 0:
            return self.now()
        seen: list[Frames] = []
        n_ahead = self.page.n_ahead if until is not None else len(values)
        for start in range(0, len(values), n_ahead):
            ahead = values[start : start + n_ahead]
            codes = self.page.codes_along(self.code, dial, ahead)
            frames = self.page.look_along(codes, self.now(), every=QUICK_EVERY)
            n = None if until is None else until(frames, is_last=start + n_ahead >= len(values))
            frames = _cut(frames, self._until_match(frames, n))
            self._play(dial, frames, frame_ms)
            seen.append(frames)
            if n is not None or self.is_solved:
                break
        # As on the page, the last position of a movement is always recorded.
        if self._is_unmarked and self._last is not None:
            self._snapshot(*self._last)
        return Frames(*(np.concatenate(parts) for parts in zip(*seen, strict=True)))

    def _until_match(self, frames: Frames, n: int | None) -> int:
        """Return how many frames are seen: up to the match, if there is one among the first n."""
        matches = np.flatnonzero(frames.agreements[:n] >= self.page.threshold - SLACK)
        return int(matches[0]) + 1 if len(matches) else len(frames.codes[:n])

    def write_label(self, dial: int, label: str) -> None:
        """Write a name into the name field of a dial."""
        self._trace("labelled", {"dial": dial, "label": label})

    def finish(self, outcome: str) -> dict[str, JsonValue]:
        """Finish the question, and return the answer."""
        self._mark()
        self._trace("finished", {**self._state(), "outcome": outcome})
        return {"code": self._code(), "outcome": outcome}

    @property
    def agreement(self) -> float:
        """The agreement that the page prints now."""
        return self._agreement

    @property
    def active_ms(self) -> float:
        """Return the active time so far."""
        gap = self.t_ms - self._marked_ms
        return self._active_ms + (min(gap, PAUSE_MS) if not self.page.is_legacy_clock else gap * (gap < PAUSE_MS))

    def _play(self, dial: int, frames: Frames, frame_ms: float) -> None:
        """Play the frames, and record the events of each."""
        for k, direction in enumerate(self._directions(dial, frames.codes)):
            self.t_ms += frame_ms
            self._offer_if_due()
            if direction is None:
                continue
            self.code, self.output = frames.codes[k], frames.outputs[k]
            self._agreement, self._error = float(frames.agreements[k]), float(frames.errors[k])
            self.is_solved = self._agreement >= self.page.threshold - SLACK
            is_new, self._last = self._last != (dial, direction), (dial, direction)
            self._is_unmarked = True
            if is_new or self.is_solved or self.t_ms - self._marked_ms >= SNAPSHOT_MS:
                self._snapshot(dial, direction)
            if self.is_solved:
                self._trace("solved", self._state())

    def _directions(self, dial: int, codes: Floats) -> list[int | None]:
        """Return the direction of each frame's change; None if the slider stays on its step."""
        spec, offset = self.page.dials[dial], self.page.offsets[dial]
        if spec.kind == "discrete":
            rows = np.vstack([self.code, codes])
            return [0 if is_moved else None for is_moved in (rows[1:] != rows[:-1]).any(axis=1).tolist()]
        moved = np.diff(codes[:, offset], prepend=self.code[offset])
        if spec.kind == "periodic":
            # A jump of more than half a turn crossed the seam, so the dial really moved the other way.
            moved = np.where(np.abs(moved) > spec.width / 2, -moved, moved)
        return [int(sign) if sign else None for sign in np.sign(moved).tolist()]

    def _snapshot(self, dial: int, direction: int) -> None:
        self._mark()
        self._is_unmarked = False
        self._trace("changed", {**self._state(), "dial": dial, "dir": direction})
        if self.page.is_legacy_clock:
            self._offer_if_due(is_movement=True)

    def _mark(self) -> None:
        self._active_ms = self.active_ms
        self._marked_ms = self.t_ms

    def _offer_if_due(self, *, is_movement: bool = False) -> None:
        """Offer the skip when it is due; the legacy clock is checked during movements only."""
        due_ms = self.page.skip_after_ms
        if self.is_offered or self.is_solved or (self.page.is_legacy_clock and not is_movement and due_ms > 0):
            return
        if self.active_ms >= due_ms:
            self.is_offered = True
            reached_ms = self.t_ms if self.page.is_legacy_clock else self._marked_ms + due_ms - self._active_ms
            self._trace("skip_offered", {}, at_ms=max(reached_ms, 0.0))

    def _state(self) -> dict[str, JsonValue]:
        return {"code": self._code(), "agreement": round(self._agreement, 6), "sq_err": round(self._error, 6)}

    def _code(self) -> list[JsonValue]:
        code: list[JsonValue] = self.code.tolist()
        return code

    def _trace(self, action: str, payload: Json, *, at_ms: float | None = None) -> None:
        t_ms = self.t_ms if at_ms is None else at_ms
        self.traces.append(Interaction(action, t_ms, {"t_ms": round(t_ms, 1), **payload}))


def _cut(frames: Frames, n: int) -> Frames:
    return Frames(frames.codes[:n], frames.outputs[:n], frames.agreements[:n], frames.errors[:n])


# Habits of people who turn dials: how fast they move, look and decide, and when they give up.

REACH_MS, BIT_MS = 150.0, 120.0
"""Fitts' law for a pointer: a constant, and an amount per bit of difficulty."""
LAST_DOUBT = 0.1
"""The share of the chance to skip that is left just below the threshold."""


class Habits(Record):
    """Times and patience; all are assumptions that can be changed and fitted."""

    pace_s: float = Field(default=1.5, gt=0)
    """Seconds to drag a dial across its width while watching the picture."""
    glance_ms: float = Field(default=250.0, gt=0)
    """Time between two looks at the picture or the number during a movement."""
    think_ms: float = Field(default=500.0, ge=0)
    """Time to decide on the next dial."""
    check_ms: float = Field(default=400.0, ge=0)
    """Time to look again after a dial has stopped."""
    aim: float = Field(default=0.01, gt=0, le=1)
    """Standard deviation of the position where a dial is released, in widths."""
    explores: float = Field(default=1.0, ge=0, le=1)
    """Chance to drag a dial through its whole range on the first visit in a question."""
    restarts: float = Field(default=0.0, ge=0, le=1)
    """Chance to put a dial somewhere else and start over after a round of all dials without improvement."""
    give_up: float = Field(default=0.15, gt=0, le=1)
    """Chance to skip at each decision, once the page offers it."""
    hope: float = Field(default=0.0, ge=0, le=1)
    """How far below the threshold the printed agreement must be for the full chance to skip; nearer, it shrinks."""
    names: float = Field(default=0.5, ge=0, le=1)
    """Chance to name a dial that was moved, at the end of a question, if the page has name fields."""
    name_ms: float = Field(default=3000.0, ge=0)
    """Time to write a name."""
    click_ms: float = Field(default=800.0, ge=0)
    """Time to notice that the question is solved and to press the button."""


def pause(hand: Hand, median_ms: float, rng: Rng) -> None:
    """Wait for a random time with this median."""
    hand.wait(median_ms * float(np.exp(0.3 * rng.standard_normal())))


def gives_up(hand: Hand, habits: Habits, rng: Rng) -> bool:
    """Return whether the person accepts an offer to skip."""
    if not hand.is_offered:
        return False
    lack = hand.page.threshold - hand.agreement
    # Nobody skips as readily at 89 % as at 20 %, but even there some do.
    share = float(np.clip(lack / habits.hope, LAST_DOUBT, 1)) if habits.hope else 1.0
    return bool(rng.random() < habits.give_up * share)


def reach(hand: Hand, dial: int, value: float, habits: Habits, rng: Rng) -> None:
    """Move a dial directly to a value, as fast as Fitts' law allows, and land close to it."""
    spec = hand.page.dials[dial]
    if spec.kind == "discrete":
        if hand.value(dial) != value:
            hand.drag(dial, np.array([value]), frame_ms=REACH_MS + 4 * BIT_MS)
        return
    wanted = float(np.clip(value + habits.aim * spec.width * rng.standard_normal(), spec.low, spec.high))
    here = hand.value(dial)
    distance = abs(wanted - here) / spec.width
    # Shannon's form of the index of difficulty (MacKenzie 1992), with a target two standard deviations of aim wide.
    lasts_ms = REACH_MS + BIT_MS * log2(1 + distance / (2 * habits.aim))
    shares = np.linspace(0, 1, max(int(lasts_ms / FRAME_MS), 2) + 1)[1:]
    # The smoothstep polynomial: the hand accelerates and brakes.
    hand.drag(dial, here + (wanted - here) * (3 * shares**2 - 2 * shares**3))


def steady_path(hand: Hand, dial: int, to: float, seconds_per_width: float) -> Floats:
    """Return the values from here to another at a steady pace, one per frame."""
    here, width = hand.value(dial), hand.page.dials[dial].width
    n = int(np.ceil(abs(to - here) / width * seconds_per_width * 1000 / FRAME_MS))
    result: Floats = np.linspace(here, to, n + 1)[1:]
    return result


# One dial at a time: drag it, stop when the match gets worse, return to the best position, and fine-tune.

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
