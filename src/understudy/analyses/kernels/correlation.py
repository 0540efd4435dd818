"""Pearson's and Spearman's correlation with Fisher-z intervals."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.rank_distributions import rank_correlation_p
from understudy.analyses.kernels.tails import UNKNOWN, Alternative, Interval, p_from_t, z_quantile
from understudy.analyses.kernels.vectors import Floats, is_negligible, pairs
from understudy.deferred.scipy import stats

_MOST_COUNTED = 8
"""The most pairs whose orders are all counted; eight have 40,320."""


class Correlation(NamedTuple):
    """A correlation with its t test; for a constant variable, all but n and df are NaN."""

    r: float
    statistic: float
    df: int
    p_value: float
    interval: Interval
    n: int


def pearson(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Correlation:
    """Test a linear association; the interval is Fisher's z with standard error 1 / √(n - 3).

    Examples
    --------
    >>> result = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 6])
    >>> round(result.r, 4), round(result.p_value, 4), round(result.interval.low, 3)
    (0.822, 0.0877, -0.219)
    """
    x, y = pairs(first, second, least=3)
    return _correlation(x, y, variance=1.0, alternative=alternative, level=level)


def spearman(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Correlation:
    """Test a monotone association by ranks.

    Up to eight pairs, p counts the orders of ranks, as R does, because t would call a perfect order of three certain;
    from nine on, p is that of t, as with R's `exact = FALSE`. The interval is Fisher's z with standard error
    √((1 + r² / 2) / (n - 3)) (Bonett & Wright 2000).

    Examples
    --------
    >>> result = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 6])
    >>> round(result.r, 4), round(result.p_value, 4)
    (0.8, 0.1333)
    """
    x, y = pairs(first, second, least=3)
    ranks_x, ranks_y = stats.rankdata(x), stats.rankdata(y)
    r = _coefficient(ranks_x, ranks_y)
    test = _correlation(ranks_x, ranks_y, variance=1 + r * r / 2, alternative=alternative, level=level)
    if test.n > _MOST_COUNTED or np.isnan(r):
        return test
    return test._replace(p_value=rank_correlation_p(ranks_x, ranks_y, alternative))


def _coefficient(x: Floats, y: Floats) -> float:
    for values in (x, y):
        if is_negligible(float(values.std()), float(np.abs(values).max())):
            return float("nan")
    a, b = x - x.mean(), y - y.mean()
    # Rounding can push a perfect correlation past 1.
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def _correlation(x: Floats, y: Floats, *, variance: float, alternative: Alternative, level: float) -> Correlation:
    n, r = x.size, _coefficient(x, y)
    rest = 1 - r * r
    if np.isnan(r) or rest <= 0:
        t = float("nan") if np.isnan(r) else float(np.copysign(np.inf, r))
    else:
        t = r * ((n - 2) / rest) ** 0.5
    interval = _fisher_interval(r, (variance / (n - 3)) ** 0.5, level) if n > 3 else UNKNOWN
    return Correlation(r, t, n - 2, p_from_t(t, n - 2, alternative), interval, n)


def _fisher_interval(r: float, error: float, level: float) -> Interval:
    if np.isnan(r):
        return UNKNOWN
    if abs(r) >= 1:
        return Interval(r, r)
    # Fisher (1921): arctanh(r) is nearly normal with a standard error that does not depend on r.
    centre, margin = float(np.arctanh(r)), z_quantile(level) * error
    return Interval(float(np.tanh(centre - margin)), float(np.tanh(centre + margin)))
