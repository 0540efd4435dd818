"""The path of the dials through one question, read from what the page recorded."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from pydantic import JsonValue

from understudy.roles import Floats
from understudy.schema import Event, Interacted, Json

SNAPSHOTS = ("question_started", "changed", "solved", "finished")
"""Actions that say where the dials stand."""


class Snapshot(NamedTuple):
    """Where the dials stood at a moment, which one had moved, and how far from the target the picture was."""

    action: str
    t_s: float
    code: tuple[float, ...]
    error: float
    dial: int | None
    way: int
    """-1 or +1 along a slider, 0 for a choice."""
    distance: float
    """How far the dials have moved since the snapshot before, in widths; a choice counts as one."""


class Visit(NamedTuple):
    """A stretch of movements of one dial, up to the first movement of another."""

    dial: int
    entered: Snapshot
    """What stood there when it began."""
    moved: tuple[Snapshot, ...]

    @property
    def distance(self) -> float:
        """How far the dial moved, in widths."""
        return sum(one.distance for one in self.moved)

    @property
    def n_reversals(self) -> int:
        """How often the dial turned round."""
        ways = [one.way for one in self.moved if one.way]
        return sum(before != after for before, after in pairwise(ways))


class DialPath(NamedTuple):
    """Everything a question's snapshots tell."""

    snapshots: tuple[Snapshot, ...]
    layout: "Layout"
    net_distance: float
    """From where the dials started to where they ended, in widths."""

    @property
    def n_dials(self) -> int:
        """How many dials the question has."""
        return len(self.layout.inputs)

    @property
    def distance(self) -> float:
        """How far all dials moved together, in widths."""
        return sum(one.distance for one in self.snapshots)

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The stretches of one dial each, in order."""
        found: list[tuple[int, Snapshot, list[Snapshot]]] = []
        for before, one in pairwise(self.snapshots):
            if one.action != "changed" or one.dial is None:
                continue
            if found and found[-1][0] == one.dial:
                found[-1][2].append(one)
            else:
                found.append((one.dial, before, [one]))
        return tuple(Visit(dial, entered, tuple(moved)) for dial, entered, moved in found)

    def at_s(self, action: str) -> float | None:
        """Return when an action was first recorded, in seconds since the question appeared."""
        return next((one.t_s for one in self.snapshots if one.action == action), None)


class Layout(NamedTuple):
    """Which numbers of a code belong to which dial, and how long its range is."""

    widths: Floats
    is_discrete: tuple[bool, ...]
    is_periodic: tuple[bool, ...]
    inputs: tuple[int, ...]

    def offsets(self, moved: Floats) -> Floats:
        """Return, for each row of changes of a code, how far each dial went, in widths with a sign; a choice is 1."""
        offsets = np.empty((len(moved), len(self.inputs)))
        place = 0
        for dial, n in enumerate(self.inputs):
            part = moved[:, place : place + n]
            place += n
            if self.is_discrete[dial]:
                offsets[:, dial] = part.any(axis=1)
                continue
            offsets[:, dial] = part[:, 0] / self.widths[dial]
            if self.is_periodic[dial]:
                # A dial that goes round is as far as the shorter way.
                offsets[:, dial] -= np.round(offsets[:, dial])
        return offsets


def dial_path(events: Iterable[Event]) -> DialPath | None:
    """Return the path of a question, or None where no dials were recorded."""
    held = [one for one in events if isinstance(one, Interacted) and one.action in SNAPSHOTS]
    layout = next((_layout(one.payload) for one in held if one.action == "question_started"), None)
    if layout is None:
        return None
    n_numbers = sum(layout.inputs)
    read = [one for one in held if _is_snapshot(one.payload, n_numbers)]
    if not read:
        return None
    codes = np.array([one.payload["code"] for one in read], dtype=np.float64)
    steps = np.abs(layout.offsets(np.diff(codes, axis=0, prepend=codes[:1]))).sum(axis=1).tolist()
    return DialPath(
        tuple(_snapshot(one.action, one.payload, step) for one, step in zip(read, steps, strict=True)),
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


def _inputs(said: JsonValue, is_discrete: tuple[bool, ...], n_numbers: int) -> tuple[int, ...] | None:
    """Return how many numbers of a code belong to each dial; one discrete dial's can be told from the rest."""
    if isinstance(said, list) and len(said) == len(is_discrete) and all(isinstance(one, int) for one in said):
        inputs = tuple(int(str(one)) for one in said)
    elif sum(is_discrete) <= 1:
        left = n_numbers - len(is_discrete) + 1
        inputs = tuple(left if one else 1 for one in is_discrete)
    else:
        return None
    return inputs if sum(inputs) == n_numbers and min(inputs) >= 1 else None


def _is_snapshot(payload: Json, n_numbers: int) -> bool:
    code = payload.get("code")
    return (
        isinstance(code, list)
        and len(code) == n_numbers
        and all(_is_number(one) for one in (*code, payload.get("t_ms"), payload.get("sq_err")))
    )


def _snapshot(action: str, payload: Any, distance: float) -> Snapshot:
    dial, way = payload.get("dial"), payload.get("dir")
    return Snapshot(
        action,
        payload["t_ms"] / 1000,
        tuple(payload["code"]),
        float(payload["sq_err"]),
        dial if type(dial) is int else None,
        (way > 0) - (way < 0) if _is_number(way) else 0,
        distance,
    )


def _numbers(value: JsonValue) -> Floats | None:
    if not isinstance(value, list) or not value or not all(_is_number(one) for one in value):
        return None
    return np.asarray(value, dtype=np.float64)


def _is_number(value: JsonValue) -> bool:
    return type(value) is float or type(value) is int


def gaps_s(snapshots: Sequence[Snapshot]) -> Floats:
    """Return the seconds from each snapshot to the next."""
    gaps: Floats = np.maximum(np.diff([one.t_s for one in snapshots]), 0.0)
    return gaps
