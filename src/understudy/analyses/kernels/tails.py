"""Tail areas and intervals: how every kernel turns a statistic into a p-value and limits."""

from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

Alternative = Literal["two-sided", "greater", "less"]


class Interval(NamedTuple):
    """A two-sided confidence interval.

    Kernels always give two-sided limits: `alternative` governs the p-value alone, so that no
    report has to print an infinite limit. Ask for `level=0.90` beside a one-sided 5 % test.
    """

    low: float
    high: float

    def scaled(self, factor: float) -> "Interval":
        """Return both limits times a positive `factor`."""
        return Interval(self.low * factor, self.high * factor)


UNKNOWN = Interval(float("nan"), float("nan"))


def check_level(level: float) -> float:
    """Return `level` if it is a confidence level strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; a confidence level lies between 0 and 1, such as 0.95.")
    return level


def p_from_t(t: float, df: float, alternative: Alternative = "two-sided") -> float:
    """Return the tail area of Student's t; NaN stays NaN.

    Examples
    --------
    >>> round(p_from_t(2.0, 10), 4)
    0.0734
    """
    if alternative == "two-sided":
        return float(2 * stats.t.sf(abs(t), df))
    if alternative == "greater":
        return float(stats.t.sf(t, df))
    if alternative == "less":
        return float(stats.t.cdf(t, df))
    raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")


def p_from_z(z: float, alternative: Alternative = "two-sided") -> float:
    """Return the tail area of the standard normal; NaN stays NaN."""
    return p_from_t(z, np.inf, alternative)


def t_quantile(df: float, level: float) -> float:
    """Return the t value that cuts off `(1 - level) / 2` above."""
    return float(stats.t.isf((1 - check_level(level)) / 2, df))


def z_quantile(level: float) -> float:
    """Return the normal value that cuts off `(1 - level) / 2` above."""
    return float(stats.norm.isf((1 - check_level(level)) / 2))


def wald_interval(estimate: float, margin: float) -> Interval:
    """Return the interval `estimate` ± `margin`."""
    return Interval(estimate - margin, estimate + margin)
