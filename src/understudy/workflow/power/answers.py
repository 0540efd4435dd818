"""Answers from a grid of power: how many people an effect needs, and which effect a number of people can show."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from understudy.schema import PowerPoint


class NeededSize(NamedTuple):
    """The people per condition with which a hypothesis reaches a power for one effect."""

    hypothesis_id: str
    n_items: int | None
    quota: int | None
    """None if no size of the grid is large enough."""
    is_bound: bool
    """Whether the smallest size of the grid is already enough, so that fewer may do."""
    recruited: float | None
    cost: float | None


class DetectableEffect(NamedTuple):
    """The smallest effect that a size shows with a power; None if it lies beyond the grid."""

    hypothesis_id: str
    n_items: int | None
    quota: int
    effect: float | None
    is_bound: bool


def needed_sizes(points: Sequence[PowerPoint], effect: float, target: float) -> tuple[NeededSize, ...]:
    """Return the size that each hypothesis needs, between two sizes of the grid along a straight line."""
    needed = []
    for (hypothesis_id, n_items), curve in _curves([point for point in points if point.effect == effect]).items():
        ordered = sorted(curve, key=lambda point: point.quota)
        at = _crossing([point.power for point in ordered], target)
        if at is None:
            needed.append(NeededSize(hypothesis_id, n_items, None, is_bound=False, recruited=None, cost=None))
            continue
        quota = ceil(_between([point.quota for point in ordered], at) - 1e-9)
        recruited = _between([point.mean_recruited for point in ordered], at)
        costs = [point.mean_cost for point in ordered if point.mean_cost is not None]
        cost = _between(costs, at) if len(costs) == len(ordered) else None
        needed.append(NeededSize(hypothesis_id, n_items, quota, is_bound=at == 0, recruited=recruited, cost=cost))
    return tuple(needed)


def detectable_effects(points: Sequence[PowerPoint], target: float) -> tuple[DetectableEffect, ...]:
    """Return the smallest effect that each size can show, between two effects of the grid; 0 is not an effect to show."""
    found = []
    curves = _curves([point for point in points if point.effect > 0])
    for (hypothesis_id, n_items), curve in curves.items():
        for quota in sorted({point.quota for point in curve}):
            ordered = sorted((point for point in curve if point.quota == quota), key=lambda point: point.effect)
            at = _crossing([point.power for point in ordered], target)
            effect = None if at is None else _between([point.effect for point in ordered], at)
            found.append(DetectableEffect(hypothesis_id, n_items, quota, effect, is_bound=at == 0))
    return tuple(found)


def _curves(points: Sequence[PowerPoint]) -> dict[tuple[str, int | None], list[PowerPoint]]:
    curves: dict[tuple[str, int | None], list[PowerPoint]] = {}
    for point in points:
        curves.setdefault((point.hypothesis_id, point.n_items), []).append(point)
    return curves


def _crossing(powers: Sequence[float], target: float) -> float | None:
    """Return where a curve reaches the target for good, as a position between its points; None if it does not."""
    last_below = max((k for k, power in enumerate(powers) if power < target), default=-1)
    if last_below == len(powers) - 1:
        return None
    if last_below < 0:
        return 0.0
    low, high = powers[last_below], powers[last_below + 1]
    return last_below + (target - low) / (high - low)


def _between(values: Sequence[float], position: float) -> float:
    k = min(int(position), len(values) - 2) if len(values) > 1 else 0
    return values[k] if len(values) == 1 else values[k] + (position - k) * (values[k + 1] - values[k])
