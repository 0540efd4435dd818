"""Wilcoxon's signed-rank test, tie-corrected, with effect sizes and the shift."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.hodges_lehmann import (
    Level,
    Shift,
    shift_from_count,
    shift_from_normal,
    walsh_averages,
)
from understudy.analyses.kernels.rank_distributions import exact_p, lower_quantile, signed_rank_chances
from understudy.analyses.kernels.rank_sum import RankMethod, effect_r, normal_p, tie_sum
from understudy.analyses.kernels.tails import UNKNOWN, Alternative, Interval, z_quantile
from understudy.analyses.kernels.vectors import Floats, pairs
from understudy.deferred.scipy import stats

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
        chances = _exact_chances(nonzero, n_zero)
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


def _exact_chances(nonzero: Floats, n_zero: int) -> Floats:
    if n_zero or np.unique(np.abs(nonzero)).size < nonzero.size:
        raise ValueError(
            "The differences contain ties or zeros; the exact signed-rank test needs none: use method='normal'."
        )
    return signed_rank_chances(nonzero.size)
