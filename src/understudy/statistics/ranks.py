"""Rank tests of two groups, of pairs and of several, with their exact distributions."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import optimize, stats
from understudy.statistics.arrays import Floats, group_vectors, matrix, pairs, vector
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    Interval,
    eta_squared_interval,
    p_from_z,
    z_quantile,
)
from understudy.statistics.hodges_lehmann import (
    Level,
    Shift,
    pairwise_differences,
    shift_from_count,
    shift_from_normal,
    walsh_averages,
)


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


# Exact null distributions of the rank-sum and signed-rank statistics, and of rank correlation.


def rank_sum_chances(n_first: int, n_second: int) -> Floats:
    """Return P(U = u) for u = 0 … n_first * n_second without ties.

    The generating function is the Gaussian binomial coefficient (Mann & Whitney 1947), expanded in whole
    numbers so that nothing cancels.

    Examples
    --------
    >>> rank_sum_chances(2, 2) * 6
    array([1., 1., 2., 1., 1.])
    """
    top = n_first * n_second
    counts = [1] + [0] * top
    for i in range(1, n_first + 1):
        # Multiplying by (1 - q^(n_second + i)) and dividing by (1 - q^i), in place.
        for j in range(top, n_second + i - 1, -1):
            counts[j] -= counts[j - n_second - i]
        for j in range(i, top + 1):
            counts[j] += counts[j - i]
    total = sum(counts)
    return np.array([count / total for count in counts])


def signed_rank_chances(n: int) -> Floats:
    """Return P(V = v) for v = 0 … n (n + 1) / 2 without ties or zeros.

    Examples
    --------
    >>> signed_rank_chances(2) * 4
    array([1., 1., 1., 1.])
    """
    chances = np.zeros(n * (n + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, n + 1):
        # A rank is positive or negative with equal chance: shifted by the rank, or not.
        shifted = np.concatenate([np.zeros(rank), chances[:-rank]])
        chances = (chances + shifted) / 2
    return chances


def rank_correlation_p(ranks: Floats, others: Floats, alternative: Alternative) -> float:
    """Return the share of all orders that agree at least as much; two-sided is twice the smaller tail, as in R.

    Sums of products of ranks are exact in binary, ties included, so equal ones compare as equal.

    Examples
    --------
    >>> ranks = np.array([1.0, 2, 3])
    >>> round(rank_correlation_p(ranks, ranks, "two-sided"), 4)
    0.3333
    """
    products = others[_orders(others.size)] @ ranks
    sums, counts = np.unique(products, return_counts=True)
    return exact_p(counts / products.size, int(np.searchsorted(sums, ranks @ others)), alternative)


def _orders(n: int) -> npt.NDArray[np.intp]:
    orders = np.zeros((1, 1), dtype=np.intp)
    for last in range(1, n):
        orders = np.concatenate([np.insert(orders, position, last, axis=1) for position in range(last + 1)])
    return orders


def exact_p(chances: Floats, value: int, alternative: Alternative) -> float:
    """Return the tail area at `value`; two-sided is twice the smaller tail, at most 1, as in R.

    Examples
    --------
    >>> round(exact_p(rank_sum_chances(2, 2), 0, "two-sided"), 4)
    0.3333
    """
    below, above = float(chances[: value + 1].sum()), float(chances[value:].sum())
    if alternative == "less":
        return below
    if alternative == "greater":
        return above
    if alternative == "two-sided":
        return min(1.0, 2 * min(below, above))
    raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")


def lower_quantile(chances: Floats, area: float) -> int:
    """Return the smallest value whose cumulative chance reaches `area`, with R's tolerance."""
    fuzz = 64 * float(np.finfo(np.float64).eps)
    return int(np.argmax(np.cumsum(chances) >= area * (1 - fuzz)))


# Wilcoxon's rank-sum test (Mann–Whitney U), tie-corrected, with effect sizes and the shift.

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


# Wilcoxon's signed-rank test, tie-corrected, with effect sizes and the shift.

Zeros = Literal["wilcox", "pratt"]


class SignedRank(NamedTuple):
    """A signed-rank test of `first - second`.

    `v` is the sum of ranks of positive differences, R's V; `n_used` counts the ranked pairs that enter
    the test (nonzero ones). `z` has no continuity correction; `r` = |z| / √n, n the nonzero pairs under
    "wilcox" and all pairs under "pratt". Without a nonzero difference, everything but counts is NaN.
    """

    v: float
    z: float
    p_value: float
    r: float
    rank_biserial: float
    rank_biserial_interval: Interval
    shift: Shift
    n_used: int
    n_zero: int


def signed_rank_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    zeros: Zeros = "wilcox",
    method: RankMethod = "normal",
    continuity: bool = True,
    continuity_in_r: bool = False,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> SignedRank:
    """Test whether differences of pairs are symmetric about zero.

    As R's `wilcox.test(paired = TRUE, exact = FALSE, correct = continuity)` when `zeros` is "wilcox", which
    drops zero differences before ranking; "pratt" ranks them and then drops them (Pratt 1959). The
    interval of the matched-pairs rank-biserial correlation is Fisher's z with the standard error that
    the null distribution of V implies, so it is approximate.

    Examples
    --------
    >>> test = signed_rank_test([5, 7, 6, 9, 8, 7], [4, 5, 6, 5, 5, 8])
    >>> test.v, test.n_used, round(test.z, 3), round(test.rank_biserial, 3)
    (13.5, 5, 1.625, 0.8)
    """
    x, y = pairs(first, second, least=1)
    differences = x - y
    nonzero = differences[differences != 0]
    n_zero = int(differences.size - nonzero.size)
    if nonzero.size == 0:
        return _unknown(n_zero)
    ranks, signs = _ranks(differences, zeros)
    v, total = float(ranks[signs > 0].sum()), float(ranks.sum())
    excess, sd = v - total / 2, float((ranks**2).sum() / 4) ** 0.5
    ranked = nonzero if zeros == "wilcox" else differences
    # The widest limits miss the shift if all differences have one sign: 2 of all signs.
    possible = Level(level, 1 - 2.0 ** (1 - ranked.size))
    if method == "exact":
        chances = _signed_rank_exact_chances(nonzero, n_zero)
        p_value = exact_p(chances, round(v), alternative)
        shift = shift_from_count(walsh_averages(nonzero), lower_quantile(chances, (1 - level) / 2), possible)
    else:
        p_value = normal_p(excess, sd, continuity=continuity, alternative=alternative)
        margin = z_quantile(level) * _generic_sd(ranked) + 0.5 * continuity
        shift = shift_from_normal(walsh_averages(ranked), margin, possible)
    return SignedRank(
        v=v,
        z=excess / sd,
        p_value=p_value,
        r=effect_r(excess, sd, n=ranked.size, continuity=continuity_in_r),
        rank_biserial=2 * v / total - 1,
        rank_biserial_interval=_biserial_interval(2 * v / total - 1, nonzero.size, level),
        shift=shift,
        n_used=int(nonzero.size),
        n_zero=n_zero,
    )


def _unknown(n_zero: int) -> SignedRank:
    nan = float("nan")
    return SignedRank(nan, nan, nan, nan, nan, UNKNOWN, Shift(nan, UNKNOWN, nan), 0, n_zero)


def _ranks(differences: Floats, zeros: Zeros) -> tuple[Floats, Floats]:
    if zeros == "wilcox":
        nonzero = differences[differences != 0]
        return stats.rankdata(np.abs(nonzero)), np.sign(nonzero)
    if zeros == "pratt":
        is_kept = differences != 0
        return stats.rankdata(np.abs(differences))[is_kept], np.sign(differences[is_kept])
    raise ValueError(f"zeros is {zeros!r}; it must be 'wilcox' or 'pratt'.")


def _generic_sd(values: Floats) -> float:
    """Return the SD of V at a shift where only equal values share an absolute rank."""
    n = values.size
    return float(np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - tie_sum(values) / 48))


def _biserial_interval(biserial: float, n: int, level: float) -> Interval:
    if abs(biserial) >= 1:
        return Interval(biserial, biserial)
    # The null SD of V on the scale of the rank-biserial correlation.
    error = (n * (n + 1) * (2 * n + 1) / 6) ** 0.5 / (n * (n + 1) / 2)
    centre, margin = float(np.arctanh(biserial)), z_quantile(level) * error
    return Interval(float(np.tanh(centre - margin)), float(np.tanh(centre + margin)))


def _signed_rank_exact_chances(nonzero: Floats, n_zero: int) -> Floats:
    if n_zero or np.unique(np.abs(nonzero)).size < nonzero.size:
        raise ValueError(
            "The differences contain ties or zeros; the exact signed-rank test needs none: use method='normal'."
        )
    return signed_rank_chances(nonzero.size)


# Tests of several levels seen by the same people: Friedman's by ranks, and Cochran's Q of yes and no.


class WithinTest(NamedTuple):
    """A χ² test over the columns of a people × levels matrix; NaN where no row varies.

    `share` is the statistic divided by its largest possible value: Kendall's W for Friedman's test, and the
    eta² of Serlin, Carr & Marascuilo (1982) for Cochran's Q.
    """

    statistic: float
    df: int
    p_value: float
    share: float
    n_people: int


def friedman(values: npt.ArrayLike) -> WithinTest:
    """Test whether people tend to rank some levels higher, tie-corrected (Friedman 1937), as R's `friedman.test`.

    Examples
    --------
    >>> test = friedman([[1, 2, 3], [2, 1, 3], [1, 3, 3], [1, 2, 4]])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4), round(test.share, 4)
    (5.7333, 2, 0.0569, 0.7167)
    """
    rows = matrix(values, "values")
    n, k = rows.shape
    ranks = stats.rankdata(rows, axis=1)
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:
        return _within_ranks_unknown(k - 1, n)
    deviations = ranks.sum(axis=0) - n * (k + 1) / 2
    # With ties, ranks vary less; their actual spread replaces the largest one, n k (k² - 1) / 12.
    statistic = float((k - 1) * (deviations**2).sum() / spread)
    return WithinTest(statistic, k - 1, float(stats.chi2.sf(statistic, k - 1)), statistic / (n * (k - 1)), n)


def cochran_q(values: npt.ArrayLike) -> WithinTest:
    """Test whether the share of yes differs between levels seen by the same people (Cochran 1950).

    Examples
    --------
    >>> test = cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1]])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (4.5, 2, 0.1054)
    """
    rows = matrix(values, "values")
    n, k = rows.shape
    columns, people = rows.sum(axis=0), rows.sum(axis=1)
    spread = float((people * (k - people)).sum())
    if spread == 0:
        return _within_ranks_unknown(k - 1, n)
    statistic = float(k * (k - 1) * ((columns - columns.mean()) ** 2).sum() / spread)
    return WithinTest(statistic, k - 1, float(stats.chi2.sf(statistic, k - 1)), statistic / (n * (k - 1)), n)


def _within_ranks_unknown(df: int, n: int) -> WithinTest:
    nan = float("nan")
    return WithinTest(nan, df, nan, nan, n)


def cronbach_alpha(values: Floats, *, level: float = 0.95) -> tuple[float, float, float]:
    """Return Cronbach's alpha of a people × items matrix with Feldt's (1965) limits.

    Examples
    --------
    >>> import numpy as np
    >>> alpha, low, high = cronbach_alpha(np.array([[1.0, 2, 2], [2, 3, 2], [3, 3, 4], [4, 5, 5], [5, 4, 5]]))
    >>> round(alpha, 3), round(low, 3), round(high, 3)
    (0.945, 0.724, 0.994)
    """
    n, k = values.shape
    total = float(values.sum(axis=1).var(ddof=1))
    if n < 2 or k < 2 or not total > 0:
        nan = float("nan")
        return nan, nan, nan
    alpha = k / (k - 1) * (1 - float(values.var(axis=0, ddof=1).sum()) / total)
    df = (n - 1, (n - 1) * (k - 1))
    tail = (1 - level) / 2
    # (1 - population alpha) / (1 - sample alpha) follows an F distribution.
    low = 1 - (1 - alpha) * float(stats.f.isf(tail, *df))
    high = 1 - (1 - alpha) * float(stats.f.ppf(tail, *df))
    return alpha, low, high
