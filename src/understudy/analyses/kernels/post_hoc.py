"""Comparisons of two groups after a test of several: Dunn's by ranks, Tukey's and Games & Howell's by means."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.rank_sum import tie_sum
from understudy.analyses.kernels.tails import Alternative, Interval, p_from_z, z_quantile
from understudy.analyses.kernels.vectors import group_vectors
from understudy.deferred.scipy import stats


class PairTest(NamedTuple):
    """Two groups compared with the help of all groups; NaN where nothing varies."""

    estimate: float
    statistic: float
    df: float
    p_value: float
    interval: Interval


def dunn_test(
    groups: Sequence[npt.ArrayLike],
    pair: tuple[int, int],
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> PairTest:
    """Compare the mean ranks of two groups among all groups, tie-corrected (Dunn 1964); p is not yet corrected.

    Examples
    --------
    >>> test = dunn_test([[1, 2, 3], [2, 4, 5], [6, 7, 8]], (0, 2))
    >>> round(test.estimate, 4), round(test.statistic, 4), round(test.p_value, 4)
    (-5.5, -2.47, 0.0135)
    """
    samples = group_vectors(groups, least=1)
    values = np.concatenate(samples)
    n = values.size
    ends = np.cumsum([sample.size for sample in samples])
    ranks = np.split(stats.rankdata(values), ends[:-1])
    first, second = (ranks[number] for number in pair)
    difference = float(first.mean() - second.mean())
    variance = n * (n + 1) / 12 - tie_sum(values) / (12 * (n - 1))
    error = float((variance * (1 / first.size + 1 / second.size)) ** 0.5)
    if not error > 0:
        nan = float("nan")
        return PairTest(difference, nan, nan, nan, Interval(nan, nan))
    z, margin = difference / error, z_quantile(level) * error
    limits = Interval(difference - margin, difference + margin)
    return PairTest(difference, z, float("nan"), p_from_z(z, alternative), limits)


def games_howell(groups: Sequence[npt.ArrayLike], pair: tuple[int, int], *, level: float = 0.95) -> PairTest:
    """Compare two means with their own variances, corrected for all pairs of groups (Games & Howell 1976).

    p and interval come from the studentized range of all groups, with Welch's degrees of freedom.

    Examples
    --------
    >>> test = games_howell([[1, 2, 3, 4], [2, 4, 5, 9], [6, 7, 8, 12]], (0, 2))
    >>> round(test.estimate, 3), round(test.statistic, 3), round(test.df, 2), round(test.p_value, 4)
    (-5.75, -3.925, 4.37, 0.0318)
    """
    samples = group_vectors(groups, least=2)
    first, second = (samples[number] for number in pair)
    parts = [float(sample.var(ddof=1)) / sample.size for sample in (first, second)]
    difference, squared = float(first.mean() - second.mean()), sum(parts)
    if not squared > 0:
        nan = float("nan")
        return PairTest(difference, nan, nan, nan, Interval(nan, nan))
    df = squared**2 / sum(part**2 / (sample.size - 1) for part, sample in zip(parts, (first, second), strict=True))
    t = difference / squared**0.5
    # The studentized range divides by the error of one mean, which is smaller by √2 than that of a difference.
    p_value = float(stats.studentized_range.sf(abs(t) * 2**0.5, len(samples), df))
    margin = float(stats.studentized_range.ppf(level, len(samples), df)) / 2**0.5 * squared**0.5
    return PairTest(difference, t, df, p_value, Interval(difference - margin, difference + margin))


def tukey_hsd(groups: Sequence[npt.ArrayLike], pair: tuple[int, int], *, level: float = 0.95) -> PairTest:
    """Compare two means with the pooled variance of all groups, corrected for all pairs (Tukey 1949; Kramer 1956).

    Examples
    --------
    >>> test = tukey_hsd([[1, 2, 3, 4], [2, 4, 5, 9], [6, 7, 8, 12]], (0, 2))
    >>> round(test.estimate, 3), round(test.statistic, 3), test.df, round(test.p_value, 4)
    (-5.75, -3.391, 9, 0.0197)
    """
    samples = group_vectors(groups, least=1)
    first, second = (samples[number] for number in pair)
    df = sum(sample.size for sample in samples) - len(samples)
    difference = float(first.mean() - second.mean())
    squares = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    if df < 1 or not squares > 0:
        nan = float("nan")
        return PairTest(difference, nan, df, nan, Interval(nan, nan))
    error = (squares / df * (1 / first.size + 1 / second.size)) ** 0.5
    t = difference / error
    p_value = float(stats.studentized_range.sf(abs(t) * 2**0.5, len(samples), df))
    margin = float(stats.studentized_range.ppf(level, len(samples), df)) / 2**0.5 * error
    return PairTest(difference, t, df, p_value, Interval(difference - margin, difference + margin))
