"""Student's and Welch's t tests with the mean difference, Cohen's d and their intervals."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.cohen_d import UNKNOWN_D, CohenD, cohen_d_from_t
from understudy.analyses.kernels.tails import (
    UNKNOWN,
    Alternative,
    Interval,
    p_from_t,
    t_quantile,
    wald_interval,
)
from understudy.analyses.kernels.vectors import is_negligible, pairs, vector


class TTest(NamedTuple):
    """A t test: `estimate` is the mean or the mean difference, `d` its standardized distance from the null.

    Without spread, statistic, p-value, intervals and d are NaN; the estimate is not.
    """

    statistic: float
    df: float
    p_value: float
    estimate: float
    standard_error: float
    interval: Interval
    d: CohenD
    d_average: CohenD | None = None


class MeanDifference(NamedTuple):
    """An estimate with its standard error, the starting point of every t test.

    `scale` converts the noncentrality of t to d; `d_df` are the degrees of freedom of d.
    """

    estimate: float
    standard_error: float
    df: float
    scale: float
    d_df: float
    is_constant: bool


def t_test_one_sample(
    values: npt.ArrayLike, *, mean: float = 0.0, alternative: Alternative = "two-sided", level: float = 0.95
) -> TTest:
    """Test the mean of one sample against `mean`; d = (x̄ - mean) / s.

    Examples
    --------
    >>> test = t_test_one_sample([5.1, 4.9, 6.0, 5.7], mean=5)
    >>> round(test.statistic, 3), test.df, round(test.p_value, 3), round(test.d.d, 3)
    (1.659, 3, 0.196, 0.83)
    """
    return t_test(one_sample_difference(values), null=mean, alternative=alternative, level=level)


def t_test_paired(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TTest:
    """Test the mean of `first - second` over pairs; `d` is d_z, `d_average` is d_av.

    d_z divides by the SD of the differences, d_av by the mean of both SDs (Lakens 2013, eq. 10); the
    interval of d_av is that of d_z times s_diff / s_av (Algina & Keselman 2003).

    Examples
    --------
    >>> test = t_test_paired([5.0, 7.0, 6.0, 8.0], [4.0, 5.0, 6.0, 5.0])
    >>> round(test.statistic, 3), test.estimate, round(test.d.d, 3), round(test.d_average.d, 3)
    (2.324, 1.5, 1.162, 1.423)
    """
    x, y = pairs(first, second)
    difference = one_sample_difference(x - y, scale_of=float(max(np.abs(x).max(), np.abs(y).max())))
    test = t_test(difference, alternative=alternative, level=level)
    # d_av uses the mean of the SDs and not of the variances (Lakens 2013, eq. 10).
    average_sd = (x.std(ddof=1) + y.std(ddof=1)) / 2
    if difference.is_constant or average_sd == 0:
        return test._replace(d_average=UNKNOWN_D)
    ratio = float(difference.standard_error / average_sd)
    return test._replace(d_average=cohen_d_from_t(test.statistic, difference.df, ratio, level=level))


def t_test_independent(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TTest:
    """Test `mean(first) - mean(second)` with Student's pooled variance; d divides by the pooled SD.

    Examples
    --------
    >>> test = t_test_independent([5.0, 7.0, 6.0, 8.0], [4.0, 5.0, 6.0])
    >>> round(test.statistic, 3), test.df, round(test.d.d, 3)
    (1.66, 5, 1.268)
    """
    return t_test(pooled_difference(first, second), alternative=alternative, level=level)


def t_test_welch(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TTest:
    """Test `mean(first) - mean(second)` without assuming equal variances.

    d divides by √((s1² + s2²) / 2), with the degrees of freedom and interval of Delacre et al. (2021).

    Examples
    --------
    >>> test = t_test_welch([5.0, 7.0, 6.0, 8.0], [4.0, 5.0, 6.0])
    >>> round(test.statistic, 3), round(test.df, 2), round(test.d.d, 3)
    (1.732, 4.96, 1.299)
    """
    return t_test(welch_difference(first, second), alternative=alternative, level=level)


def t_test(
    difference: MeanDifference,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TTest:
    """Test a mean difference against `null`; all public tests above end here."""
    estimate, error, df = difference.estimate, difference.standard_error, difference.df
    if difference.is_constant:
        return TTest(float("nan"), df, float("nan"), estimate, error, UNKNOWN, UNKNOWN_D)
    t = (estimate - null) / error
    return TTest(
        statistic=t,
        df=df,
        p_value=p_from_t(t, df, alternative),
        estimate=estimate,
        standard_error=error,
        interval=wald_interval(estimate, t_quantile(df, level) * error),
        d=cohen_d_from_t(t, difference.d_df, difference.scale, level=level),
    )


def one_sample_difference(values: npt.ArrayLike, *, scale_of: float | None = None) -> MeanDifference:
    """Return the mean of one sample; `scale_of` is the size of the raw numbers behind differences."""
    x = vector(values, "values", least=2)
    mean, error = float(x.mean()), float(x.std(ddof=1) / np.sqrt(x.size))
    is_constant = is_negligible(error, float(np.abs(x).max()) if scale_of is None else scale_of)
    return MeanDifference(mean, error, x.size - 1, x.size**-0.5, x.size - 1, is_constant)


def pooled_difference(first: npt.ArrayLike, second: npt.ArrayLike) -> MeanDifference:
    """Return the difference of two means under one common variance."""
    x, y = vector(first, "first", least=1), vector(second, "second", least=1)
    df = x.size + y.size - 2
    if df < 1:
        raise ValueError(f"The groups have {x.size} and {y.size} values; together at least 3 are needed.")
    squares = float(((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum())
    scale = (1 / x.size + 1 / y.size) ** 0.5
    error = scale * (squares / df) ** 0.5
    is_constant = is_negligible(error, max(abs(float(x.mean())), abs(float(y.mean()))))
    return MeanDifference(float(x.mean() - y.mean()), error, df, scale, df, is_constant)


def welch_difference(first: npt.ArrayLike, second: npt.ArrayLike) -> MeanDifference:
    """Return the difference of two means under two variances."""
    x, y = vector(first, "first", least=2), vector(second, "second", least=2)
    v, w = float(x.var(ddof=1)), float(y.var(ddof=1))
    a, b = v / x.size, w / y.size
    estimate, error = float(x.mean() - y.mean()), (a + b) ** 0.5
    if is_negligible(error, max(abs(float(x.mean())), abs(float(y.mean())))):
        return MeanDifference(estimate, error, x.size + y.size - 2, 1.0, 1.0, is_constant=True)
    # Welch's (1947) approximate degrees of freedom; those of d weigh the variances without the group sizes.
    df = (a + b) ** 2 / (a**2 / (x.size - 1) + b**2 / (y.size - 1))
    d_df = (v + w) ** 2 / (v**2 / (x.size - 1) + w**2 / (y.size - 1))
    return MeanDifference(estimate, error, df, error / ((v + w) / 2) ** 0.5, d_df, is_constant=False)
