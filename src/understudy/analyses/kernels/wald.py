"""Wald tests of log-odds, shared by the logistic kernels."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Alternative, Interval, p_from_z, wald_interval, z_quantile
from understudy.analyses.kernels.vectors import Floats


class LogOddsModel(NamedTuple):
    """Fitted coefficients in log-odds and their covariance; NaN if the answers are separated."""

    coefficients: Floats
    covariance: Floats


class WaldTest(NamedTuple):
    """A contrast of log-odds with its z test and odds ratio."""

    estimate: float
    standard_error: float
    statistic: float
    p_value: float
    interval: Interval
    odds_ratio: float
    odds_ratio_interval: Interval


def log_odds_test(
    model: LogOddsModel, contrast: npt.ArrayLike, *, alternative: Alternative = "two-sided", level: float = 0.95
) -> WaldTest:
    """Test a weighted sum of coefficients against 0.

    Parameters
    ----------
    contrast
        One weight per coefficient, such as [0, 1] for the second one.

    Examples
    --------
    >>> test = log_odds_test(LogOddsModel(np.array([0.2, 1.0]), np.diag([0.04, 0.25])), [0, 1])
    >>> test.statistic, round(test.p_value, 4), round(test.odds_ratio, 3)
    (2.0, 0.0455, 2.718)
    """
    weights = np.asarray(contrast, dtype=np.float64)
    if weights.shape != model.coefficients.shape:
        raise ValueError(f"contrast has shape {weights.shape}; {model.coefficients.shape} is needed.")
    estimate = float(weights @ model.coefficients)
    error = float(np.sqrt(weights @ model.covariance @ weights))
    # A separated fit has no standard error, so z is NaN.
    z = estimate / error if error > 0 else float("nan")
    interval = wald_interval(estimate, z_quantile(level) * error)
    # A huge log-odds has an infinite odds ratio, which is a result and not an error.
    with np.errstate(over="ignore"):
        odds = [float(np.exp(value)) for value in (estimate, *interval)]
    return WaldTest(estimate, error, z, p_from_z(z, alternative), interval, odds[0], Interval(odds[1], odds[2]))
