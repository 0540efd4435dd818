"""Descriptions: shares with their exact tails, means with their intervals, and Cronbach's alpha.

`scipy.stats` gives the same numbers, but importing it takes longer than a whole check of a study.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import stats
from understudy.statistics.arrays import Floats, vector
from understudy.statistics.distributions import UNKNOWN, Interval, check_level, t_quantile, wald_interval


def binomial_tail(successes: int, n: int, chance: float) -> float:
    """Return the chance of at least so many successes in n tries.

    Examples
    --------
    >>> round(binomial_tail(8, 10, 0.5), 4)
    0.0547
    """
    return float(binomial_tails(successes, n, np.array([chance]))[0])


def binomial_tails(successes: int, n: int, chances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the same tail for several chances of a success."""
    tails: npt.NDArray[np.float64] = np.minimum(1.0, _shares_of_counts(n, chances)[:, successes:].sum(axis=1))
    return tails


def binomial_quantiles(levels: npt.NDArray[np.float64], n: int, chance: float) -> npt.NDArray[np.int64]:
    """Return for each level the least number of successes in n tries that is reached with that probability.

    Examples
    --------
    >>> binomial_quantiles(np.array([0.5, 0.975]), 10, 0.5)
    array([5, 8])
    """
    reached = np.cumsum(_shares_of_counts(n, np.array([chance]))[0])
    return np.minimum(np.searchsorted(reached, levels), n).astype(np.int64)


def wilson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share (Wilson, 1927), without continuity correction.

    Examples
    --------
    >>> interval = wilson_interval(8, 10)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.49, 0.943)
    """
    z = NormalDist().inv_cdf(0.5 + check_level(level) / 2)
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (share * (1 - share) / n + z**2 / (4 * n**2)) ** 0.5
    # The limits of all and of no successes are 1 and 0 exactly, which rounding could miss.
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half)


def _shares_of_counts(n: int, chances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how likely each number of successes is, a row for each chance of a success."""
    counts = np.arange(n + 1)
    # In logarithms, because the number of ways overflows a float beyond about 1,000 tries.
    ways = np.array([math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(n + 1)])
    inside = np.clip(chances, 1e-300, 1 - 1e-16)[:, None]
    likely: npt.NDArray[np.float64] = np.exp(ways + counts * np.log(inside) + (n - counts) * np.log1p(-inside))
    # The limits themselves have no logarithm: then all tries are alike.
    likely[chances <= 0] = counts == 0
    likely[chances >= 1] = counts == n
    return likely


# Cronbach's alpha: how far the items of a scale measure one thing.


def cronbach_alpha(points: Floats) -> float | None:
    """Return alpha from a table with one row for each person and one column for each item.

    Parameters
    ----------
    points
        Points with all items in the same direction.

    Returns
    -------
    float or None
        k / (k - 1) * (1 - sum of the items' variances / variance of the sums), after Cronbach (1951); None with fewer
        than two items or people, or when nobody differs.

    Examples
    --------
    >>> import numpy as np
    >>> round(cronbach_alpha(np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 3.0], [4.0, 5.0]])), 3)
    0.96
    """
    n_people, n_items = points.shape
    if n_people < 2 or n_items < 2:
        return None
    total = float(points.sum(axis=1).var(ddof=1))
    if total == 0:
        return None
    return float(n_items / (n_items - 1) * (1 - points.var(axis=0, ddof=1).sum() / total))


# Descriptions of one variable: mean, proportion and median, each with its usual spread.


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
