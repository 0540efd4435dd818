"""Tests of tables of counts: Pearson's χ² with Cramér's V, and Fisher's exact test with its odds ratio."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Alternative, Interval
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import stats


class ChiSquare(NamedTuple):
    """Pearson's test of independence; NaN where a row or column is empty."""

    statistic: float
    df: int
    p_value: float
    cramers_v: float
    smallest_expected: float


class Fisher(NamedTuple):
    """Fisher's exact test of a 2 × 2 table; the odds ratio is the conditional maximum-likelihood estimate, as in R."""

    p_value: float
    odds_ratio: float
    interval: Interval


def chi_square(counts: npt.ArrayLike, *, continuity: bool = False) -> ChiSquare:
    """Test whether the rows of a table of counts have the same shares, as R's `chisq.test(correct = continuity)`.

    Examples
    --------
    >>> test = chi_square([[12, 5, 7], [7, 9, 7]])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4), round(test.cramers_v, 4)
    (2.4385, 2, 0.2955, 0.2278)
    """
    table: Floats = np.asarray(counts, dtype=np.float64)
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    if df < 1 or (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
        nan = float("nan")
        return ChiSquare(nan, df, nan, nan, nan)
    test = stats.chi2_contingency(table, correction=continuity)
    # V has no continuity correction: it describes the table, not the test.
    plain = stats.chi2_contingency(table, correction=False).statistic
    v = float((plain / (table.sum() * (min(table.shape) - 1))) ** 0.5)
    return ChiSquare(float(test.statistic), df, float(test.pvalue), v, float(test.expected_freq.min()))


def fisher_exact(counts: npt.ArrayLike, *, alternative: Alternative = "two-sided", level: float = 0.95) -> Fisher:
    """Test a 2 × 2 table by the hypergeometric distribution, as R's `fisher.test`.

    Examples
    --------
    >>> test = fisher_exact([[8, 2], [1, 5]])
    >>> round(test.p_value, 4), round(test.odds_ratio, 3), round(test.interval.low, 3)
    (0.035, 15.466, 1.009)
    """
    table = np.asarray(counts, dtype=np.int64)
    p_value = float(stats.fisher_exact(table, alternative=alternative).pvalue)
    ratio = stats.contingency.odds_ratio(table, kind="conditional")
    low, high = ratio.confidence_interval(confidence_level=level)
    return Fisher(p_value, float(ratio.statistic), Interval(float(low), float(high)))
