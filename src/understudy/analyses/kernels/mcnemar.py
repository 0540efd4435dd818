"""Exact McNemar test of two paired yes/no answers, and the difference of paired shares."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Alternative, Interval, check_level, wald_interval, z_quantile
from understudy.deferred.scipy import stats


class McNemar(NamedTuple):
    """An exact McNemar test: `b` pairs are yes-no and `c` are no-yes.

    `odds_ratio` = b / c; it is infinite for c = 0 and NaN without discordant pairs, when p is 1.
    """

    b: int
    c: int
    p_value: float
    odds_ratio: float
    odds_ratio_interval: Interval


class PairedProportions(NamedTuple):
    """Two paired shares and their difference first - second."""

    n: int
    first: float
    second: float
    difference: float
    interval: Interval


def mcnemar_exact(b: int, c: int, *, alternative: Alternative = "two-sided", level: float = 0.95) -> McNemar:
    """Test whether yes-no pairs are as frequent as no-yes pairs, given the number of discordant pairs.

    The p-value is R's `binom.test(b, b + c)`; "greater" means that b outweighs c. Limits of the odds
    ratio are Clopper & Pearson's (1934) limits of b / (b + c), as odds.

    Examples
    --------
    >>> test = mcnemar_exact(22, 4)
    >>> round(test.p_value, 6), test.odds_ratio, round(test.odds_ratio_interval.low, 3)
    (0.000534, 5.5, 1.868)
    """
    if b < 0 or c < 0:
        raise ValueError(f"The discordant counts are {b} and {c}; counts cannot be negative.")
    if b + c == 0:
        return McNemar(b, c, 1.0, float("nan"), Interval(0.0, np.inf))
    result = stats.binomtest(b, b + c, 0.5, alternative=alternative)
    share = stats.binomtest(b, b + c).proportion_ci(check_level(level), method="exact")
    limits = Interval(_odds(float(share.low)), _odds(float(share.high)))
    return McNemar(b, c, float(result.pvalue), b / c if c else np.inf, limits)


def paired_proportions(
    table: npt.ArrayLike, *, method: Literal["newcombe", "wald"] = "newcombe", level: float = 0.95
) -> PairedProportions:
    """Compare two paired shares from counts [[yes-yes, yes-no], [no-yes, no-no]].

    "newcombe" is method 10 of Newcombe (1998): Wilson limits of both shares, combined through their
    correlation. "wald" is the simple large-sample interval.

    Examples
    --------
    >>> result = paired_proportions([[15, 22], [4, 2]])
    >>> round(result.difference, 3), round(result.interval.low, 3), round(result.interval.high, 3)
    (0.419, 0.203, 0.586)
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape != (2, 2) or (counts < 0).any() or counts.sum() < 1:
        raise ValueError("table must be two rows of two counts, not negative, with at least one pair.")
    n = int(counts.sum())
    first, second = float(counts[0].sum()) / n, float(counts[:, 0].sum()) / n
    difference = float(counts[0, 1] - counts[1, 0]) / n
    if method == "wald":
        # The variance of a paired difference depends on the discordant pairs only.
        spread = float(counts[0, 1] + counts[1, 0]) / n - difference**2
        interval = wald_interval(difference, z_quantile(level) * (spread / n) ** 0.5)
    elif method == "newcombe":
        interval = _newcombe(counts, difference, level)
    else:
        raise ValueError(f"method is {method!r}; it must be 'newcombe' or 'wald'.")
    return PairedProportions(n, first, second, difference, interval)


def _odds(share: float) -> float:
    return np.inf if share >= 1 else share / (1 - share)


def _newcombe(counts: npt.NDArray[np.float64], difference: float, level: float) -> Interval:
    n = int(counts.sum())
    yes = (int(counts[0].sum()), int(counts[:, 0].sum()))
    first, second = (stats.binomtest(k, n).proportion_ci(level, method="wilson") for k in yes)
    margins = float(np.prod(counts.sum(axis=0)) * np.prod(counts.sum(axis=1)))
    cross = float(counts[0, 0] * counts[1, 1] - counts[0, 1] * counts[1, 0])
    # Newcombe's continuity correction of the correlation, for a positive one only.
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    phi = cross / margins**0.5 if margins > 0 else 0.0
    p, q = yes[0] / n, yes[1] / n
    down, up = p - first.low, second.high - q
    low = (down**2 - 2 * phi * down * up + up**2) ** 0.5
    down, up = q - second.low, first.high - p
    high = (down**2 - 2 * phi * down * up + up**2) ** 0.5
    return Interval(float(difference - low), float(difference + high))
