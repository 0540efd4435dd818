"""Hodges–Lehmann estimates and their limits, from order statistics of differences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from understudy.statistics.arrays import Floats, Ints
from understudy.statistics.distributions import Interval

# Order statistics of all pairs of two samples, without ever building all pairs.

_AT_ONCE = 4_000_000
"""Pairs that may be held in memory (32 MB)."""
_N_PROBES = 20_000
_GOLDEN = 0.6180339887498949


class Candidates(Protocol):
    """Many numbers, of which only some order statistics are needed."""

    @property
    def size(self) -> int:
        """How many there are."""

    def at(self, rank: int) -> float:
        """Return the number with this rank, 0 for the smallest."""


@dataclass(frozen=True)
class SortedValues:
    """Candidates that fit into memory."""

    values: Floats

    @property
    def size(self) -> int:
        """How many there are."""
        return self.values.size

    def at(self, rank: int) -> float:
        """Return the number with this rank."""
        return float(self.values[rank])


@dataclass(frozen=True)
class SortedRows:
    """Candidates in rows that each ascend with the column; row i has the columns from first[i] to last[i] - 1."""

    value: Callable[[Ints, Ints], Floats]
    """The candidates at these rows and columns."""
    first: Ints
    last: Ints

    @property
    def size(self) -> int:
        """How many there are."""
        return int((self.last - self.first).sum())

    def at(self, rank: int) -> float:
        """Return the number with this rank, exactly.

        Evenly spread probes of what is left give two values around the wanted one. The candidates below each are
        counted exactly, by a binary search in each row, so probes decide about time only (after Floyd & Rivest 1975).
        """
        low, high, n_below = self.first.copy(), self.last.copy(), 0
        while (n_left := int((high - low).sum())) > _AT_ONCE:
            probes = self._probes(low, high, n_left)
            place = (rank - n_below) / n_left * probes.size
            # Three standard errors of a sampled quantile on either side nearly always hold the wanted rank.
            reach = 3 * probes.size**0.5 / 2 + 1
            under = float(probes[int(np.clip(place - reach, 0, probes.size - 1))])
            over = float(probes[int(np.clip(place + reach, 0, probes.size - 1))])
            starts = self._n_at_most(float(np.nextafter(under, -np.inf)), low, high)
            ends = self._n_at_most(over, low, high)
            n_under, n_inside = int((starts - low).sum()), int((ends - starts).sum())
            wanted = rank - n_below
            if wanted < n_under:
                high = starts
            elif wanted >= n_under + n_inside:
                low, n_below = ends, n_below + n_under + n_inside
            elif under == over:
                return under
            elif n_inside == n_left:
                return self._bisected(rank)
            else:
                low, high, n_below = starts, ends, n_below + n_under
        return float(np.partition(self._all(low, high), rank - n_below)[rank - n_below])

    def _probes(self, low: Ints, high: Ints, n_left: int) -> Floats:
        ends = np.cumsum(high - low)
        # Multiples of the golden section are spread evenly however many there are (a Weyl sequence).
        numbers = (np.arange(1, _N_PROBES + 1) * _GOLDEN % 1.0 * n_left).astype(np.int64)
        rows = np.searchsorted(ends, numbers, side="right")
        columns = low[rows] + numbers - (ends[rows] - (high[rows] - low[rows]))
        return np.sort(self.value(rows, columns))

    def _n_at_most(self, bound: float, low: Ints, high: Ints) -> Ints:
        """Return for each row the first column whose candidate exceeds the bound."""
        start, end = low.copy(), high.copy()
        # The candidates themselves are compared; solving for the column would round differently.
        while (rows := np.flatnonzero(start < end)).size:
            middle = (start[rows] + end[rows]) // 2
            is_under = self.value(rows, middle) <= bound
            start[rows[is_under]] = middle[is_under] + 1
            end[rows[~is_under]] = middle[~is_under]
        return start

    def _bisected(self, rank: int) -> float:
        """Halve the range of values; slower, and safe where most candidates are equal."""
        rows = np.flatnonzero(self.first < self.last)
        low, high = float(self.value(rows, self.first[rows]).min()), float(self.value(rows, self.last[rows] - 1).max())
        while low < high:
            middle = low + (high - low) / 2
            middle = middle if middle < high else low
            if int((self._n_at_most(middle, self.first, self.last) - self.first).sum()) > rank:
                high = middle
            else:
                low = float(np.nextafter(middle, np.inf))
        return low

    def _all(self, low: Ints, high: Ints) -> Floats:
        n = high - low
        rows = np.repeat(np.arange(n.size), n)
        starts = np.cumsum(n) - n
        return self.value(rows, low[rows] + np.arange(rows.size) - starts[rows])


def fits_in_memory(n_candidates: int) -> bool:
    """Return whether all candidates may be built at once."""
    return n_candidates <= _AT_ONCE


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
