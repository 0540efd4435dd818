"""Wilcoxon's rank-sum test (Mann–Whitney U), tie-corrected, with effect sizes and the shift."""

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.hodges_lehmann import (
    Level,
    Shift,
    pairwise_differences,
    shift_from_count,
    shift_from_normal,
)
from understudy.analyses.kernels.rank_distributions import exact_p, lower_quantile, rank_sum_chances
from understudy.analyses.kernels.tails import UNKNOWN, Alternative, Interval, p_from_z, z_quantile
from understudy.analyses.kernels.vectors import Floats, vector
from understudy.deferred.scipy import optimize, stats

RankMethod = Literal["normal", "exact"]


class RankSum(NamedTuple):
    """A rank-sum test of `first` against `second`.

    `u` counts the pairs where first exceeds second (ties half), R's W. `z` is tie-corrected without
    continuity correction, and `r` = |z| / √N. `common_language` = P(first > second) + P(tie) / 2;
    `rank_biserial` = 2 common_language - 1. `shift` is the Hodges–Lehmann estimate of first - second.
    If all values are equal, z, p and r are NaN.
    """

    u: float
    z: float
    p_value: float
    r: float
    rank_biserial: float
    rank_biserial_interval: Interval
    common_language: float
    common_language_interval: Interval
    shift: Shift
    n_first: int
    n_second: int


def rank_sum_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    method: RankMethod = "normal",
    continuity: bool = True,
    continuity_in_r: bool = False,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> RankSum:
    """Test whether values of one group tend to exceed those of another.

    As R's `wilcox.test(exact = FALSE, correct = continuity)`, or `exact = TRUE` for samples without ties.
    The interval of the common-language effect is Newcombe's method 5 (2006), which needs no resampling
    and stays inside 0 … 1; that of the shift takes order statistics of all pairwise differences.

    Parameters
    ----------
    continuity_in_r
        Whether r shrinks |z| by the continuity correction too; by default it does not.

    Examples
    --------
    >>> test = rank_sum_test([3, 4, 4, 6, 9], [1, 2, 4, 3])
    >>> test.u, round(test.z, 3), round(test.p_value, 4), round(test.r, 3)
    (17.5, 1.877, 0.0799, 0.626)
    """
    x, y = vector(first, "first"), vector(second, "second")
    n_pairs = x.size * y.size
    ranks = stats.rankdata(np.concatenate([x, y]))
    u = float(ranks[: x.size].sum() - x.size * (x.size + 1) / 2)
    sd = _null_sd(np.concatenate([x, y]), n_pairs)
    share = u / n_pairs
    limits = common_language_interval(share, x.size, y.size, level=level)
    excess = u - n_pairs / 2
    candidates = pairwise_differences(x, y)
    # The widest limits miss the shift if all values of one sample exceed all of the other: 2 of all orders.
    possible = Level(level, 1 - 2 * math.exp(-_log_orders(x.size, y.size)))
    if method == "exact":
        chances = _exact_chances(x, y)
        p_value = exact_p(chances, round(u), alternative)
        shift = shift_from_count(candidates, lower_quantile(chances, (1 - level) / 2), possible)
    else:
        p_value = normal_p(excess, sd, continuity=continuity, alternative=alternative)
        # At the limits of the interval, ties between the samples are broken, so only ties within them count.
        margin = z_quantile(level) * _within_sd(x, y, n_pairs) + 0.5 * continuity
        shift = shift_from_normal(candidates, margin, possible)
    return RankSum(
        u=u,
        z=excess / sd if sd > 0 else float("nan"),
        p_value=p_value,
        r=effect_r(excess, sd, n=x.size + y.size, continuity=continuity_in_r),
        rank_biserial=2 * share - 1,
        rank_biserial_interval=Interval(2 * limits.low - 1, 2 * limits.high - 1),
        common_language=share,
        common_language_interval=limits,
        shift=shift,
        n_first=x.size,
        n_second=y.size,
    )


def common_language_interval(share: float, n_first: int, n_second: int, *, level: float = 0.95) -> Interval:
    """Invert the score test of θ = P(X > Y) + P(X = Y) / 2 (Newcombe 2006, method 5).

    The variance is Hanley & McNeil's with both sample sizes replaced by their mean.

    Examples
    --------
    >>> low, high = common_language_interval(0.85, 5, 4)
    >>> round(low, 3), round(high, 3)
    (0.452, 0.972)
    """
    z, half = z_quantile(level), (n_first + n_second) / 2 - 1
    if not np.isfinite(share):
        return UNKNOWN

    def gap(theta: float) -> float:
        spread = 1 + half * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (theta - share) ** 2 - z * z * theta * (1 - theta) * spread / (n_first * n_second)

    # At a share of 0 or 1 the share itself is a root; the limit is the other one.
    low = 0.0 if share <= 0 else float(optimize.brentq(gap, 0.0, min(share, 1 - 1e-12), xtol=1e-14))
    high = 1.0 if share >= 1 else float(optimize.brentq(gap, max(share, 1e-12), 1.0, xtol=1e-14))
    return Interval(low, high)


def normal_p(excess: float, sd: float, *, continuity: bool, alternative: Alternative) -> float:
    """Return the normal p-value of a rank statistic that is `excess` from its mean, as R does."""
    if not sd > 0:
        return float("nan")
    towards = {"two-sided": float(np.sign(excess)), "greater": 1.0, "less": -1.0}
    # The continuity correction moves the statistic half a step towards its mean.
    shrink = 0.5 * towards.get(alternative, 0.0) if continuity else 0.0
    return min(1.0, p_from_z((excess - shrink) / sd, alternative))


def effect_r(excess: float, sd: float, *, n: int, continuity: bool) -> float:
    """Return r = |z| / √n, the effect size that goes with a rank test (Rosenthal 1991)."""
    if not sd > 0:
        return float("nan")
    return float(max(0.0, abs(excess) - 0.5 * continuity) / sd / n**0.5)


def tie_sum(values: Floats) -> float:
    """Return Σ (t³ - t) over groups of t equal values."""
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((counts**3 - counts).sum())


def _null_sd(pooled: Floats, n_pairs: int, ties: float | None = None) -> float:
    n = pooled.size
    if n < 2:
        return 0.0
    tied = tie_sum(pooled) if ties is None else ties
    return float(np.sqrt(n_pairs / 12 * ((n + 1) - tied / (n * (n - 1)))))


def _within_sd(x: Floats, y: Floats, n_pairs: int) -> float:
    """Return the SD at a shift where no value of one sample ties with the other, as the limits need."""
    return _null_sd(np.concatenate([x, y]), n_pairs, ties=tie_sum(x) + tie_sum(y))


def _log_orders(n_first: int, n_second: int) -> float:
    """Return the logarithm of the number of ways to order two samples."""
    return math.lgamma(n_first + n_second + 1) - math.lgamma(n_first + 1) - math.lgamma(n_second + 1)


def _exact_chances(x: Floats, y: Floats) -> Floats:
    if np.unique(np.concatenate([x, y])).size < x.size + y.size:
        raise ValueError("The values contain ties; the exact rank-sum test needs none: use method='normal'.")
    return rank_sum_chances(x.size, y.size)
