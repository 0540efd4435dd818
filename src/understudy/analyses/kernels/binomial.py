"""Shares of yes-or-no answers: an exact test and Wilson's interval, without SciPy.

`scipy.stats.binomtest` gives the same numbers, but importing it takes longer than a whole check of a study.
"""

import math
from statistics import NormalDist

from understudy.analyses.kernels.tails import Interval, check_level


def binomial_tail(successes: int, n: int, chance: float) -> float:
    """Return the chance of at least so many successes in n tries.

    Examples
    --------
    >>> round(binomial_tail(8, 10, 0.5), 4)
    0.0547
    """
    if successes == 0 or chance in (0.0, 1.0):
        return float(successes == 0 or chance == 1.0)
    # In logarithms, because the number of ways overflows a float beyond about 1,000 tries.
    log_ways = math.lgamma(n + 1)
    terms = (
        log_ways - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(chance) + (n - k) * math.log1p(-chance)
        for k in range(successes, n + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


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
