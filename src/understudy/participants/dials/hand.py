"""The hand on the dials: moves them frame by frame, and records times and events as the page would."""

from typing import Protocol

import numpy as np
from pydantic import JsonValue

from understudy.participants.dials.page import SLACK, DialPage, Frames
from understudy.roles import Floats, Interaction
from understudy.schema import Json

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
