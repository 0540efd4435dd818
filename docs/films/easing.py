"""Easing: movements that start and end slowly."""

import math
from itertools import pairwise


def eased(at_s: float, start_s: float, end_s: float) -> float:
    """Return how far a movement has come, from 0 before its start to 1 after its end."""
    share = min(max((at_s - start_s) / (end_s - start_s), 0.0), 1.0)
    return 0.5 - 0.5 * math.cos(math.pi * share)


def between(start: float, end: float, share: float) -> float:
    """Return the value at a share of the way."""
    return start + (end - start) * share


def along(stops: tuple[tuple[float, float], ...], at_s: float) -> float:
    """Return a value that passes through (second, value) stops and rests at each."""
    value = stops[0][1]
    for (start_s, before), (end_s, after) in pairwise(stops):
        if at_s >= start_s:
            value = between(before, after, eased(at_s, start_s, end_s))
    return value
