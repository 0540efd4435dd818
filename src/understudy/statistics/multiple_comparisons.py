"""Several tests: adjustments of p-values, planned contrasts, and comparisons after an analysis."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import stats
from understudy.statistics.arrays import Floats, group_vectors, vector
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    Interval,
    p_from_t,
    p_from_z,
    t_quantile,
    wald_interval,
    z_quantile,
)
from understudy.statistics.ranks import tie_sum


def bonferroni(p_values: npt.ArrayLike, *, family_size: int | None = None) -> Floats:
    """Multiply each p-value by the size of the family, at most 1.

    Parameters
    ----------
    family_size
        Number of planned tests, if more than the p-values given.

    Examples
    --------
    >>> bonferroni([0.01, 0.02, 0.4])
    array([0.03, 0.06, 1.  ])
    """
    p, m = _family(p_values, family_size)
    return np.minimum(p * m, 1.0)


def holm(p_values: npt.ArrayLike, *, family_size: int | None = None) -> Floats:
    """Adjust step by step from the smallest p-value (Holm 1979), with results in the original order.

    Examples
    --------
    >>> holm([0.02, 0.01, 0.4])
    array([0.04, 0.03, 0.4 ])
    """
    p, m = _family(p_values, family_size)
    order = np.argsort(p, kind="stable")
    # The running maximum keeps adjusted p-values in the order of the raw ones.
    steps = np.minimum(np.maximum.accumulate(p[order] * (m - np.arange(p.size))), 1.0)
    adjusted = np.empty_like(p)
    adjusted[order] = steps
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike, *, family_size: int | None = None) -> Floats:
    """Adjust for the false discovery rate (Benjamini & Hochberg 1995), with results in the original order.

    Examples
    --------
    >>> benjamini_hochberg([0.02, 0.01, 0.4])
    array([0.03, 0.03, 0.4 ])
    """
    p, m = _family(p_values, family_size)
    order = np.argsort(p, kind="stable")[::-1]
    # The running minimum from the largest p-value down keeps adjusted p-values in the order of the raw ones.
    steps = np.minimum(np.minimum.accumulate(p[order] * m / np.arange(p.size, 0, -1)), 1.0)
    adjusted = np.empty_like(p)
    adjusted[order] = steps
    return adjusted


def _family(p_values: npt.ArrayLike, family_size: int | None) -> tuple[Floats, int]:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_values must be a flat list of numbers between 0 and 1, none missing.")
    m = p.size if family_size is None else family_size
    if m < p.size:
        raise ValueError(f"family_size is {m} for {p.size} p-values; it cannot be smaller.")
    return p, m


# A planned contrast of two group means whose error comes from all groups of a one-way design.


class PlannedContrast(NamedTuple):
    """A contrast with its t test; without spread in any group, all but the estimate is NaN.

    `d` is the difference in units of the pooled standard deviation, and `r` = sqrt(t² / (t² + df)).
    """

    estimate: float
    standard_error: float
    statistic: float
    df: int
    p_value: float
    interval: Interval
    d: float
    r: float


def planned_contrast(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    others: Sequence[npt.ArrayLike],
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> PlannedContrast:
    """Test the difference of two means against the mean square within all groups (Maxwell & Delaney 2004, ch. 4).

    Examples
    --------
    >>> test = planned_contrast([4, 5, 6, 5], [2, 3, 2, 3], [[7, 8, 7, 9]])
    >>> round(test.statistic, 3), test.df, round(test.p_value, 5)
    (4.423, 9, 0.00166)
    """
    groups = [vector(values, f"group {number}") for number, values in enumerate((first, second, *others), start=1)]
    n = sum(values.size for values in groups)
    df = n - len(groups)
    estimate = float(groups[0].mean() - groups[1].mean())
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in groups)
    nan = float("nan")
    if df < 1 or squares <= 1e-12 * max(1.0, sum(float((values**2).sum()) for values in groups)):
        return PlannedContrast(estimate, nan, nan, df, nan, UNKNOWN, nan, nan)
    error = squares / df
    standard_error = float(np.sqrt(error * (1 / groups[0].size + 1 / groups[1].size)))
    statistic = estimate / standard_error
    return PlannedContrast(
        estimate,
        standard_error,
        statistic,
        df,
        p_from_t(statistic, df, alternative),
        wald_interval(estimate, t_quantile(df, level) * standard_error),
        estimate / float(np.sqrt(error)),
        float(np.sqrt(statistic**2 / (statistic**2 + df))),
    )


# Comparisons of two groups after a test of several: Dunn's by ranks, Tukey's and Games & Howell's by means.


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
