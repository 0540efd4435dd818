"""Hodges–Lehmann estimates: the shift with the least evidence against it in a rank test, and its limits."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.tails import Interval
from understudy.analyses.kernels.vectors import Floats


class Shift(NamedTuple):
    """The median of all pairwise candidates, with limits at their order statistics."""

    estimate: float
    interval: Interval


def pairwise_differences(first: Floats, second: Floats) -> Floats:
    """Return every `first - second`, sorted.

    Examples
    --------
    >>> pairwise_differences(np.array([1.0, 5.0]), np.array([0.0, 2.0]))
    array([-1.,  1.,  3.,  5.])
    """
    return np.sort(np.subtract.outer(first, second).ravel())


def walsh_averages(values: Floats) -> Floats:
    """Return the mean of every pair of values, including each value with itself, sorted.

    Examples
    --------
    >>> walsh_averages(np.array([1.0, 3.0]))
    array([1., 2., 3.])
    """
    # Tukey's form: the signed-rank statistic counts the positive averages.
    i, j = np.triu_indices(values.size)
    return np.sort((values[i] + values[j]) / 2)


def shift_from_count(candidates: Floats, n_cut: int) -> Shift:
    """Return the shift whose limits leave `n_cut - 1` candidates outside on each side (exact limits)."""
    cut = min(max(n_cut, 1), candidates.size)
    low, high = sorted((float(candidates[cut - 1]), float(candidates[candidates.size - cut])))
    return Shift(float(np.median(candidates)), Interval(low, high))


def shift_from_normal(candidates: Floats, margin: float) -> Shift:
    """Return the shift whose limits are `margin` ranks from the middle of the candidates.

    The limit is where the rank statistic, a step function of the shift, crosses its critical value
    (Hollander, Wolfe & Chicken 2014, 4.3), which R finds by root search up to its tolerance.
    """
    n_cut = int(np.floor(candidates.size / 2 - margin)) + 1
    return shift_from_count(candidates, n_cut)
