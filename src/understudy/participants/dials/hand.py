"""The hand on the dials: moves them frame by frame, keeps the page's clocks, and leaves the page's own traces."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from pydantic import JsonValue

from understudy.participants.dials.page import SLACK, DialPage, Seen
from understudy.roles import Floats, Interaction
from understudy.schema import Json

FRAME_MS = 50.0
"""How often a moving dial shows a new picture to a simulated person."""
SNAPSHOT_MS = 100.0
"""The least time between two snapshots of one movement."""
PAUSE_MS = 3000.0
"""The active clock counts a pause up to here; the legacy clock counts nothing of a pause this long."""

Until: TypeAlias = Callable[[Seen], int]
"""Given what a movement would show, says after how many frames to let go."""


class Hand:
    """One person's hand during one question."""

    def __init__(self, page: DialPage) -> None:
        first = page.look(page.start[None])
        self.page = page
        self.code: Floats = page.start.copy()
        self.output: Floats = first.outputs[0]
        self.t_ms = 0.0
        self.is_solved = False
        """Whether the match is found, which locks the dials."""
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
                **self._standing(),
                "widths": [dial.width for dial in page.dials],
                "kinds": [dial.kind for dial in page.dials],
                "inputs": [dial.n_inputs for dial in page.dials],
                "threshold": page.threshold,
                "distance": page.distance_name,
                **({"labels": [""] * len(page.dials)} if page.has_labels else {}),
            },
        )
        self._offer_if_due()

    def now(self) -> Seen:
        """Look at the screen as it stands."""
        return Seen(self.code[None], self.output[None], np.array([self._agreement]), np.array([self._error]))

    def value(self, dial: int) -> float:
        """Return where a dial stands."""
        return self.page.value(self.code, dial)

    def wait(self, for_ms: float) -> None:
        """Let time pass without a movement."""
        self.t_ms += for_ms
        self._offer_if_due()

    def drag(self, dial: int, values: Floats, *, frame_ms: float = FRAME_MS, until: Until | None = None) -> Seen:
        """Move a dial through values, one a frame, and return what was seen; a match stops the hand at once."""
        if len(values) == 0:
            return self.now()
        seen = self.page.look(self.page.codes_along(self.code, dial, values))
        n = len(values) if until is None else min(until(seen), len(values))
        matches = np.flatnonzero(seen.agreements[:n] >= self.page.threshold - SLACK)
        n = int(matches[0]) + 1 if len(matches) else n
        seen = Seen(seen.codes[:n], seen.outputs[:n], seen.agreements[:n], seen.errors[:n])
        self._play(dial, seen, frame_ms)
        return seen

    def write_label(self, dial: int, label: str) -> None:
        """Write a name into the field of a dial."""
        self._trace("labelled", {"dial": dial, "label": label})

    def finish(self, outcome: str) -> dict[str, JsonValue]:
        """Leave the question, and return the answer."""
        self._mark()
        self._trace("finished", {**self._standing(), "outcome": outcome})
        return {"code": self._code(), "outcome": outcome}

    @property
    def active_ms(self) -> float:
        """Time at work up to now."""
        gap = self.t_ms - self._marked_ms
        return self._active_ms + (min(gap, PAUSE_MS) if not self.page.is_legacy_clock else gap * (gap < PAUSE_MS))

    def _play(self, dial: int, seen: Seen, frame_ms: float) -> None:
        """Show the frames one after the other, and leave the traces of each."""
        for k, way in enumerate(self._ways(dial, seen.codes)):
            self.t_ms += frame_ms
            self._offer_if_due()
            if way is None:
                continue
            self.code, self.output = seen.codes[k], seen.outputs[k]
            self._agreement, self._error = float(seen.agreements[k]), float(seen.errors[k])
            self.is_solved = self._agreement >= self.page.threshold - SLACK
            is_new, self._last = self._last != (dial, way), (dial, way)
            self._is_unmarked = True
            if is_new or self.is_solved or self.t_ms - self._marked_ms >= SNAPSHOT_MS:
                self._snapshot(dial, way)
            if self.is_solved:
                self._trace("solved", self._standing())
        if self._is_unmarked and self._last is not None:
            self._snapshot(*self._last)

    def _ways(self, dial: int, codes: Floats) -> list[int | None]:
        """Return the direction of each frame's change; None where the slider stays on its step."""
        one, place = self.page.dials[dial], self.page.places[dial]
        if one.kind == "discrete":
            rows = np.vstack([self.code, codes])
            return [0 if is_moved else None for is_moved in (rows[1:] != rows[:-1]).any(axis=1).tolist()]
        moved = np.diff(codes[:, place], prepend=self.code[place])
        if one.kind == "periodic":
            moved = np.where(np.abs(moved) > one.width / 2, -moved, moved)
        return [int(way) if way else None for way in np.sign(moved).tolist()]

    def _snapshot(self, dial: int, way: int) -> None:
        self._mark()
        self._is_unmarked = False
        self._trace("changed", {**self._standing(), "dial": dial, "dir": way})
        if self.page.is_legacy_clock:
            self._offer_if_due(is_movement=True)

    def _mark(self) -> None:
        self._active_ms = self.active_ms
        self._marked_ms = self.t_ms

    def _offer_if_due(self, *, is_movement: bool = False) -> None:
        """Offer the skip when the clock reaches it; the legacy clock is looked at on movements only."""
        due_ms = self.page.skip_after_ms
        if self.is_offered or self.is_solved or (self.page.is_legacy_clock and not is_movement and due_ms > 0):
            return
        if self.active_ms >= due_ms:
            self.is_offered = True
            reached_ms = self.t_ms if self.page.is_legacy_clock else self._marked_ms + due_ms - self._active_ms
            self._trace("skip_offered", {}, at_ms=max(reached_ms, 0.0))

    def _standing(self) -> dict[str, JsonValue]:
        return {"code": self._code(), "agreement": round(self._agreement, 6), "sq_err": round(self._error, 6)}

    def _code(self) -> list[JsonValue]:
        code: list[JsonValue] = self.code.tolist()
        return code

    def _trace(self, action: str, payload: Json, *, at_ms: float | None = None) -> None:
        t_ms = self.t_ms if at_ms is None else at_ms
        self.traces.append(Interaction(action, t_ms, {"t_ms": round(t_ms, 1), **payload}))
