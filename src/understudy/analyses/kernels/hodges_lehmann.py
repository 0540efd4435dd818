"""Hodges–Lehmann estimates: the shift with the least evidence against it in a rank test, and its limits."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.order_statistics import Candidates, SortedRows, SortedValues, fits_in_memory
from understudy.analyses.kernels.tails import Interval
from understudy.analyses.kernels.vectors import Floats


class Shift(NamedTuple):
    """The median of all pairwise candidates, with limits at their order statistics."""

    estimate: float
    interval: Interval
    level: float
    """The confidence level that the limits attain; lower than the one asked for where so few values allow no more."""


class Level(NamedTuple):
    """The confidence level asked for, and the highest that the number of values allows."""

    asked: float
    most: float


def pairwise_differences(first: Floats, second: Floats) -> Candidates:
    """Return every `first - second`, ready for order statistics.

    Examples
    --------
    >>> differences = pairwise_differences(np.array([1.0, 5.0]), np.array([0.0, 2.0]))
    >>> [differences.at(rank) for rank in range(differences.size)]
    [-1.0, 1.0, 3.0, 5.0]
    """
    if fits_in_memory(first.size * second.size):
        return SortedValues(np.sort(np.subtract.outer(first, second).ravel()))
    x, y = np.sort(first), np.sort(second)[::-1]
    n_rows = np.zeros(x.size, dtype=np.int64)
    return SortedRows(lambda i, j: x[i] - y[j], n_rows, n_rows + y.size)


def walsh_averages(values: Floats) -> Candidates:
    """Return the mean of every pair of values, including each value with itself, ready for order statistics.

    Examples
    --------
    >>> averages = walsh_averages(np.array([1.0, 3.0]))
    >>> [averages.at(rank) for rank in range(averages.size)]
    [1.0, 2.0, 3.0]
    """
    # Tukey's form: the signed-rank statistic counts the positive averages.
    if fits_in_memory(values.size * (values.size + 1) // 2):
        i, j = np.triu_indices(values.size)
        return SortedValues(np.sort((values[i] + values[j]) / 2))
    x = np.sort(values)
    first = np.arange(x.size)
    return SortedRows(lambda i, j: (x[i] + x[j]) / 2, first, np.full(x.size, x.size))


def shift_from_count(candidates: Candidates, n_cut: int, level: Level) -> Shift:
    """Return the shift whose limits leave `n_cut - 1` candidates outside on each side (exact limits).

    Where even the smallest and largest candidate are too narrow, they are the limits, at the level they attain.
    """
    cut = min(max(n_cut, 1), candidates.size)
    low, high = sorted((candidates.at(cut - 1), candidates.at(candidates.size - cut)))
    middle = candidates.size // 2
    estimate = candidates.at(middle)
    if candidates.size % 2 == 0:
        estimate = (candidates.at(middle - 1) + estimate) / 2
    # The highest level comes from logarithms, so that a level of 0 may miss it by a rounding error.
    attained = max(0.0, min(level.asked, round(level.most, 12))) if n_cut < 1 else level.asked
    return Shift(estimate, Interval(low, high), attained)


def shift_from_normal(candidates: Candidates, margin: float, level: Level) -> Shift:
    """Return the shift whose limits are `margin` ranks from the middle of the candidates.

    The limit is where the rank statistic, a step function of the shift, crosses its critical value
    (Hollander, Wolfe & Chicken 2014, 4.3), which R finds by root search up to its tolerance.
    """
    n_cut = int(np.floor(candidates.size / 2 - margin)) + 1
    return shift_from_count(candidates, n_cut, level)
