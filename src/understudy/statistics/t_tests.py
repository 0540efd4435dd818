"""t tests, standardized differences, equivalence, and power."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import special
from understudy.statistics.arrays import is_negligible, pairs, vector
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    Interval,
    noncentral_t_below,
    noncentral_t_interval,
    p_from_t,
    t_quantile,
    wald_interval,
)


class CohenD(NamedTuple):
    """Cohen's d and Hedges' g (d times the exact small-sample correction), each with its interval."""

    d: float
    interval: Interval
    hedges_g: float
    hedges_interval: Interval


UNKNOWN_D = CohenD(float("nan"), UNKNOWN, float("nan"), UNKNOWN)


def hedges_correction(df: float) -> float:
    """Return Hedges' J = Γ(df/2) / (√(df/2) Γ((df-1)/2)); NaN for df <= 1 (Hedges 1981).

    Examples
    --------
    >>> round(hedges_correction(18), 5)
    0.95765
    """
    if df <= 1:
        return float("nan")
    # Through logarithms, because the gamma function overflows for large df.
    return float(np.exp(special.gammaln(df / 2) - special.gammaln((df - 1) / 2)) / np.sqrt(df / 2))


def cohen_d_from_t(t: float, df: float, scale: float, *, level: float = 0.95) -> CohenD:
    """Turn a t value into d = t * scale, with limits of the noncentrality on the same scale.

    Parameters
    ----------
    scale
        Factor from noncentrality to d: √(1/n) for one sample or pairs, √(1/n1 + 1/n2) for two groups,
        and times a ratio of standard deviations where d has another standardizer than t.

    Examples
    --------
    >>> effect = cohen_d_from_t(2.5, 20, 21**-0.5)
    >>> round(effect.d, 4), round(effect.interval.low, 4), round(effect.hedges_g, 4)
    (0.5455, 0.0802, 0.5248)
    """
    if not np.isfinite(t):
        return UNKNOWN_D
    correction = hedges_correction(df)
    interval = noncentral_t_interval(t, df, level=level).scaled(scale)
    return CohenD(t * scale, interval, t * scale * correction, interval.scaled(correction))


# Student's and Welch's t tests with the mean difference, Cohen's d and their intervals.


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


# Equivalence by two one-sided t tests (TOST).

BoundUnits = Literal["raw", "d"]


class Equivalence(NamedTuple):
    """Two one-sided tests: the mean (difference) exceeds `bounds.low` and falls short of `bounds.high`.

    `p_value` is the larger of the two; `interval` has level 1 - 2 alpha. Without spread, statistics, p-values and
    interval are NaN.
    """

    estimate: float
    standard_error: float
    df: float
    statistic_low: float
    p_low: float
    statistic_high: float
    p_high: float
    p_value: float
    interval: Interval
    bounds: Interval


def equivalence_one_sample(
    values: npt.ArrayLike, bounds: tuple[float, float], *, units: BoundUnits = "raw", alpha: float = 0.05
) -> Equivalence:
    """Test that a mean lies between `bounds` (Schuirmann 1987).

    Parameters
    ----------
    units
        "raw" for bounds in units of the values, "d" in standard deviations: of the values, of the
        differences (pairs), pooled (independent), or √((s1² + s2²) / 2) (Welch).

    Examples
    --------
    >>> test = equivalence_one_sample([0.1, -0.2, 0.3, 0.0, -0.1, 0.2], (-0.5, 0.5))
    >>> round(test.p_value, 4), round(test.interval.high, 3)
    (0.001, 0.204)
    """
    return _two_one_sided(one_sample_difference(values), bounds, units, alpha)


def equivalence_paired(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    bounds: tuple[float, float],
    *,
    units: BoundUnits = "raw",
    alpha: float = 0.05,
) -> Equivalence:
    """Test that the mean of `first - second` over pairs lies between `bounds`."""
    x, y = pairs(first, second)
    scale = float(max(np.abs(x).max(), np.abs(y).max()))
    return _two_one_sided(one_sample_difference(x - y, scale_of=scale), bounds, units, alpha)


def equivalence_independent(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    bounds: tuple[float, float],
    *,
    variances: Literal["welch", "pooled"] = "welch",
    units: BoundUnits = "raw",
    alpha: float = 0.05,
) -> Equivalence:
    """Test that `mean(first) - mean(second)` of two groups lies between `bounds`."""
    if variances not in ("welch", "pooled"):
        raise ValueError(f"variances is {variances!r}; it must be 'welch' or 'pooled'.")
    difference = welch_difference if variances == "welch" else pooled_difference
    return _two_one_sided(difference(first, second), bounds, units, alpha)


def _two_one_sided(
    difference: MeanDifference, bounds: tuple[float, float], units: BoundUnits, alpha: float
) -> Equivalence:
    low, high = bounds
    if not low < high:
        raise ValueError(f"bounds are {low} and {high}; the first must be smaller than the second.")
    if units not in ("raw", "d"):
        raise ValueError(f"units is {units!r}; it must be 'raw' or 'd'.")
    estimate, error, df = difference.estimate, difference.standard_error, difference.df
    if units == "d":
        # The scale leads from noncentrality to d, so the standard error over it is the standard deviation.
        sd = error / difference.scale
        low, high = low * sd, high * sd
    nan = float("nan")
    if difference.is_constant:
        return Equivalence(estimate, error, df, nan, nan, nan, nan, nan, UNKNOWN, Interval(low, high))
    t_low, t_high = (estimate - low) / error, (estimate - high) / error
    p_low, p_high = p_from_t(t_low, df, "greater"), p_from_t(t_high, df, "less")
    # Equivalence at alpha holds exactly when this 1 - 2 alpha interval lies within the bounds.
    interval = wald_interval(estimate, t_quantile(df, 1 - 2 * alpha) * error)
    return Equivalence(
        estimate,
        error,
        df,
        t_low,
        p_low,
        t_high,
        p_high,
        max(p_low, p_high),
        interval,
        Interval(low, high),
    )


# Analytic power of t tests, the reference for simulated power.


def power_one_sample(d: float, n: int, *, alpha: float = 0.05, alternative: Alternative = "two-sided") -> float:
    """Return the power of a one-sample t test, or of a paired one when `d` is d_z and `n` counts pairs.

    Examples
    --------
    >>> round(power_one_sample(0.5, 34), 4)
    0.8078
    """
    if n < 2:
        raise ValueError(f"n is {n}; at least 2 are needed.")
    return _power(d * n**0.5, n - 1, alpha, alternative)


def power_two_sample(
    d: float, sizes: tuple[int, int], *, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    """Return the power of the pooled two-sample t test for groups of the given `sizes`.

    Examples
    --------
    >>> round(power_two_sample(0.5, (64, 64)), 4)
    0.8015
    """
    first, second = sizes
    if first < 1 or second < 1 or first + second < 3:
        raise ValueError(f"The groups have {first} and {second} people; together at least 3 are needed.")
    return _power(d / (1 / first + 1 / second) ** 0.5, first + second - 2, alpha, alternative)


def _power(noncentrality: float, df: int, alpha: float, alternative: Alternative) -> float:
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; it must be between 0 and 0.5.")
    if alternative == "less":
        return _power(-noncentrality, df, alpha, "greater")
    if alternative not in ("greater", "two-sided"):
        raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")
    if alternative == "greater":
        return 1 - noncentral_t_below(t_quantile(df, 1 - 2 * alpha), df, noncentrality)
    # Both tails count, because a two-sided test also rejects on the wrong side.
    critical = t_quantile(df, 1 - alpha)
    above = 1 - noncentral_t_below(critical, df, noncentrality)
    return above + noncentral_t_below(-critical, df, noncentrality)
