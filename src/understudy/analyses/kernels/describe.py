"""Descriptions of one variable: mean, proportion and median, each with its usual spread."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Interval, check_level, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import vector
from understudy.deferred.scipy import stats


class MeanSummary(NamedTuple):
    """Mean with the t interval of the mean."""

    n: int
    mean: float
    sd: float
    standard_error: float
    interval: Interval


class Proportion(NamedTuple):
    """Share of successes with Wilson's interval."""

    n: int
    successes: int
    estimate: float
    interval: Interval


class MedianSummary(NamedTuple):
    """Median with both quartiles, by linear interpolation (type 7, R's default)."""

    n: int
    median: float
    lower_quartile: float
    upper_quartile: float


def mean_summary(values: npt.ArrayLike, *, level: float = 0.95) -> MeanSummary:
    """Describe a variable by mean, SD (n - 1) and the t interval of its mean.

    A single value has a mean but no spread: SD, standard error and interval are then NaN.

    Examples
    --------
    >>> summary = mean_summary([4.0, 5.0, 6.0, 9.0])
    >>> summary.mean, round(summary.sd, 3), round(summary.interval.high, 3)
    (6.0, 2.16, 9.437)
    """
    x = vector(values, "values")
    mean = float(x.mean())
    if x.size < 2:
        return MeanSummary(1, mean, float("nan"), float("nan"), UNKNOWN)
    sd = float(x.std(ddof=1))
    error = sd / x.size**0.5
    interval = wald_interval(mean, t_quantile(x.size - 1, level) * error)
    return MeanSummary(x.size, mean, sd, error, interval)


def proportion(successes: int, n: int, *, level: float = 0.95) -> Proportion:
    """Describe a share by Wilson's score interval (Wilson 1927; R's `prop.test(correct=FALSE)`).

    Examples
    --------
    >>> share = proportion(8, 10)
    >>> share.estimate, round(share.interval.low, 3), round(share.interval.high, 3)
    (0.8, 0.49, 0.943)
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} were given; 0 <= successes <= n and n >= 1 are needed.")
    # Without continuity correction, as Wilson (1927) and as R with correct=FALSE.
    limits = stats.binomtest(successes, n).proportion_ci(check_level(level), method="wilson")
    return Proportion(n, successes, successes / n, Interval(float(limits.low), float(limits.high)))


def median_summary(values: npt.ArrayLike) -> MedianSummary:
    """Describe a variable by its median and quartiles.

    Examples
    --------
    >>> median_summary([1.0, 2.0, 3.0, 10.0])
    MedianSummary(n=4, median=2.5, lower_quartile=1.75, upper_quartile=4.75)
    """
    x = vector(values, "values")
    low, middle, high = (float(q) for q in np.quantile(x, [0.25, 0.5, 0.75]))
    return MedianSummary(x.size, middle, low, high)
