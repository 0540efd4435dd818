"""The path of the dials through one question, read from the recorded interactions."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import JsonValue

from understudy.measures.answer import TrialMeasure
from understudy.roles import Floats
from understudy.schema import Event, Interacted, Json

SNAPSHOTS = ("question_started", "changed", "solved", "finished")
"""Actions that record the positions of the dials."""


class Snapshot(NamedTuple):
    """The positions of the dials at one moment, the dial that moved, and the error of the picture."""

    action: str
    t_s: float
    code: tuple[float, ...]
    error: float
    dial: int | None
    direction: int
    """-1 or +1 along a slider, 0 for a choice."""
    distance: float
    """How far the dials have moved since the previous snapshot, in widths; a choice counts as one."""


class Visit(NamedTuple):
    """Successive moves of one dial, up to the first move of another."""

    dial: int
    entered: Snapshot
    """The snapshot before the first move."""
    moved: tuple[Snapshot, ...]

    @property
    def distance(self) -> float:
        """Return how far the dial moved, in widths."""
        return sum(snapshot.distance for snapshot in self.moved)

    @property
    def n_reversals(self) -> int:
        """Return how often the dial changed direction."""
        directions = [snapshot.direction for snapshot in self.moved if snapshot.direction]
        return sum(before != after for before, after in pairwise(directions))


class DialPath(NamedTuple):
    """The snapshots of a question, and what follows from them."""

    snapshots: tuple[Snapshot, ...]
    layout: "Layout"
    net_distance: float
    """From the starting positions to the final ones, in widths."""

    @property
    def n_dials(self) -> int:
        """Return the number of dials in the question."""
        return len(self.layout.inputs)

    @property
    def distance(self) -> float:
        """Return how far all dials moved together, in widths."""
        return sum(snapshot.distance for snapshot in self.snapshots)

    @property
    def visits(self) -> tuple[Visit, ...]:
        """Return the visits in order."""
        visits: list[tuple[int, Snapshot, list[Snapshot]]] = []
        for before, snapshot in pairwise(self.snapshots):
            if snapshot.action != "changed" or snapshot.dial is None:
                continue
            if visits and visits[-1][0] == snapshot.dial:
                visits[-1][2].append(snapshot)
            else:
                visits.append((snapshot.dial, before, [snapshot]))
        return tuple(Visit(dial, entered, tuple(moved)) for dial, entered, moved in visits)

    def at_s(self, action: str) -> float | None:
        """Return when an action was first recorded, in seconds since the question appeared."""
        return next((snapshot.t_s for snapshot in self.snapshots if snapshot.action == action), None)


class Layout(NamedTuple):
    """Which numbers of a code belong to which dial, and the width of its range."""

    widths: Floats
    is_discrete: tuple[bool, ...]
    is_periodic: tuple[bool, ...]
    inputs: tuple[int, ...]

    def offsets(self, moved: Floats) -> Floats:
        """Return how far each dial moved for each row of code changes, in signed widths; a choice counts as 1."""
        offsets = np.empty((len(moved), len(self.inputs)))
        offset = 0
        for dial, n in enumerate(self.inputs):
            part = moved[:, offset : offset + n]
            offset += n
            if self.is_discrete[dial]:
                offsets[:, dial] = part.any(axis=1)
                continue
            offsets[:, dial] = part[:, 0] / self.widths[dial]
            if self.is_periodic[dial]:
                # A periodic dial moved along the shorter arc.
                offsets[:, dial] -= np.round(offsets[:, dial])
        return offsets


def dial_path(events: Iterable[Event]) -> DialPath | None:
    """Return the path of a question, or None if no dials were recorded."""
    recorded = [event for event in events if isinstance(event, Interacted) and event.action in SNAPSHOTS]
    layout = next((_layout(event.payload) for event in recorded if event.action == "question_started"), None)
    if layout is None:
        return None
    n_numbers = sum(layout.inputs)
    complete = [event for event in recorded if _is_snapshot(event.payload, n_numbers)]
    if not complete:
        return None
    codes = np.array([event.payload["code"] for event in complete], dtype=np.float64)
    # Prepending the first code makes the first step zero, so that steps line up with snapshots.
    steps = np.abs(layout.offsets(np.diff(codes, axis=0, prepend=codes[:1]))).sum(axis=1).tolist()
    return DialPath(
        tuple(_snapshot(event.action, event.payload, step) for event, step in zip(complete, steps, strict=True)),
        layout,
        float(np.abs(layout.offsets(codes[-1:] - codes[:1])).sum()),
    )


def _layout(payload: Json) -> Layout | None:
    kinds, widths, code = payload.get("kinds"), _numbers(payload.get("widths")), _numbers(payload.get("code"))
    if not isinstance(kinds, list) or widths is None or code is None or len(kinds) != len(widths):
        return None
    is_discrete = tuple(kind == "discrete" for kind in kinds)
    inputs = _inputs(payload.get("inputs"), is_discrete, len(code))
    if inputs is None or (widths <= 0).any():
        return None
    return Layout(widths, is_discrete, tuple(kind == "periodic" for kind in kinds), inputs)


def _inputs(recorded: JsonValue, is_discrete: tuple[bool, ...], n_numbers: int) -> tuple[int, ...] | None:
    """Return how many numbers of a code belong to each dial; for one discrete dial it can be inferred."""
    if (
        isinstance(recorded, list)
        and len(recorded) == len(is_discrete)
        and all(isinstance(count, int) for count in recorded)
    ):
        inputs = tuple(int(str(count)) for count in recorded)
    elif sum(is_discrete) <= 1:
        left = n_numbers - len(is_discrete) + 1
        inputs = tuple(left if is_choice else 1 for is_choice in is_discrete)
    else:
        return None
    return inputs if sum(inputs) == n_numbers and min(inputs) >= 1 else None


def _is_snapshot(payload: Json, n_numbers: int) -> bool:
    code = payload.get("code")
    return (
        isinstance(code, list)
        and len(code) == n_numbers
        and all(_is_number(number) for number in (*code, payload.get("t_ms"), payload.get("sq_err")))
    )


def _snapshot(action: str, payload: Any, distance: float) -> Snapshot:
    dial, direction = payload.get("dial"), payload.get("dir")
    return Snapshot(
        action,
        payload["t_ms"] / 1000,
        tuple(payload["code"]),
        float(payload["sq_err"]),
        dial if type(dial) is int else None,
        # The sign of the recorded direction.
        (direction > 0) - (direction < 0) if _is_number(direction) else 0,
        distance,
    )


def _numbers(value: JsonValue) -> Floats | None:
    if not isinstance(value, list) or not value or not all(_is_number(number) for number in value):
        return None
    return np.asarray(value, dtype=np.float64)


def _is_number(value: JsonValue) -> bool:
    # Not isinstance, because True and False are ints too.
    return type(value) is float or type(value) is int


def gaps_s(snapshots: Sequence[Snapshot]) -> Floats:
    """Return the seconds from each snapshot to the next."""
    # A client's clock may jump back; a gap is never negative.
    gaps: Floats = np.maximum(np.diff([snapshot.t_s for snapshot in snapshots]), 0.0)
    return gaps


# The common part of dial measures: they need a page with dials, and most read the path of the dials and score it.


class OfDials(TrialMeasure):
    """Reads what people do with dials."""

    page_needs: ClassVar[Literal["dials", "steps"]] = "dials"


class DialMeasure(OfDials, ABC):
    """Reads the path of the dials in a question; each measure scores it in its own way."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Score the path, or return None if no dials were recorded."""
        path = dial_path(events)
        return None if path is None else self.of_path(path)

    @abstractmethod
    def of_path(self, path: DialPath) -> float | None:
        """Return the number, or None if this path does not determine it."""
