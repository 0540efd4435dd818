"""Shares of yes-or-no answers: exact tails, quantiles and Wilson's interval, without SciPy.

`scipy.stats` gives the same numbers, but importing it takes longer than a whole check of a study.
"""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Interval, check_level


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
