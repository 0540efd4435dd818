"""Tests of several levels seen by the same people: Friedman's by ranks, and Cochran's Q of yes and no."""

from typing import NamedTuple

import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats, matrix
from understudy.deferred.scipy import stats


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
        return _unknown(k - 1, n)
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
        return _unknown(k - 1, n)
    statistic = float(k * (k - 1) * ((columns - columns.mean()) ** 2).sum() / spread)
    return WithinTest(statistic, k - 1, float(stats.chi2.sf(statistic, k - 1)), statistic / (n * (k - 1)), n)


def _unknown(df: int, n: int) -> WithinTest:
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
