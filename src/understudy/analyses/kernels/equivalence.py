"""Equivalence by two one-sided t tests (TOST)."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.t_tests import (
    MeanDifference,
    one_sample_difference,
    pooled_difference,
    welch_difference,
)
from understudy.analyses.kernels.tails import UNKNOWN, Interval, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import pairs

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
