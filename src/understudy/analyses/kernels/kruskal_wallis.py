"""Kruskal–Wallis rank test of several groups with epsilon²."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.noncentral import eta_squared_interval
from understudy.analyses.kernels.tails import UNKNOWN, Interval
from understudy.analyses.kernels.vectors import group_vectors
from understudy.deferred.scipy import stats


class KruskalWallis(NamedTuple):
    """The tie-corrected H test; if all values are equal, statistic, p and epsilon² are NaN."""

    statistic: float
    df: int
    p_value: float
    epsilon_squared: float
    epsilon_squared_interval: Interval
    n: int


def kruskal_wallis(groups: Sequence[npt.ArrayLike], *, level: float = 0.95) -> KruskalWallis:
    """Test whether values of some groups tend to exceed those of others.

    epsilon² = H / (n - 1) is the eta² of an analysis of variance of the ranks, so its interval is the
    noncentral-F interval of that eta²: deterministic, and approximate as ranks are not normal.

    Examples
    --------
    >>> test = kruskal_wallis([[1, 2, 3], [2, 4, 5], [6, 7, 8]])
    >>> round(test.statistic, 3), test.df, round(test.p_value, 4), round(test.epsilon_squared, 3)
    (6.252, 2, 0.0439, 0.782)
    """
    samples = group_vectors(groups, least=1)
    values = np.concatenate(samples)
    n, k = values.size, len(samples)
    if n <= k:
        raise ValueError(f"{n} values in {k} groups leave nothing to rank within groups.")
    if np.ptp(values) == 0:
        nan = float("nan")
        return KruskalWallis(nan, k - 1, nan, nan, UNKNOWN, n)
    result = stats.kruskal(*samples)
    h = float(result.statistic)
    epsilon = min(h / (n - 1), 1.0)
    df = (k - 1, n - k)
    # If all values within each group are tied, epsilon is 1 and F is infinite.
    is_total = epsilon >= 1 - 1e-12
    f = np.inf if is_total else epsilon / df[0] / ((1 - epsilon) / df[1])
    interval = Interval(1.0, 1.0) if is_total else eta_squared_interval(float(f), df, level=level, estimate=epsilon)
    return KruskalWallis(h, k - 1, float(result.pvalue), epsilon, interval, n)
