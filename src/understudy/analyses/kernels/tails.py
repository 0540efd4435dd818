"""Tail areas and intervals: p-values and limits from statistics, for all kernels."""

from typing import Literal, NamedTuple

from understudy.deferred.scipy import special

Alternative = Literal["two-sided", "greater", "less"]


class Interval(NamedTuple):
    """A two-sided confidence interval.

    Kernels always give two-sided limits: `alternative` affects the p-value alone, so no
    report has to print an infinite limit. Use `level=0.90` with a one-sided 5 % test.
    """

    low: float
    high: float

    def scaled(self, factor: float) -> "Interval":
        """Return both limits times a positive `factor`."""
        return Interval(self.low * factor, self.high * factor)


UNKNOWN = Interval(float("nan"), float("nan"))


class EffectTest(NamedTuple):
    """An effect with its standard error and t test; NaN where nothing varies, or nothing is known."""

    estimate: float
    standard_error: float
    statistic: float
    df: float
    p_value: float
    interval: Interval


def check_level(level: float) -> float:
    """Return `level` if it is a confidence level strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; a confidence level must be between 0 and 1, such as 0.95.")
    return level


def p_from_t(t: float, df: float, alternative: Alternative = "two-sided") -> float:
    """Return the tail area of Student's t; NaN stays NaN.

    Examples
    --------
    >>> round(p_from_t(2.0, 10), 4)
    0.0734
    """
    if alternative == "two-sided":
        # The lower tail keeps its precision where 1 minus the distribution function would round to 0.
        return float(2 * special.stdtr(df, -abs(t)))
    return float(special.stdtr(df, _towards(t, alternative)))


def p_from_z(z: float, alternative: Alternative = "two-sided") -> float:
    """Return the tail area of the standard normal; NaN stays NaN."""
    if alternative == "two-sided":
        return float(2 * special.ndtr(-abs(z)))
    return float(special.ndtr(_towards(z, alternative)))


def p_from_f(f: float, df: tuple[float, float]) -> float:
    """Return the upper tail area of F; NaN stays NaN.

    Examples
    --------
    >>> round(p_from_f(4.0, (1, 10)), 4)
    0.0734
    """
    return float(special.fdtrc(*df, f))


def t_quantile(df: float, level: float) -> float:
    """Return the t value that cuts off `(1 - level) / 2` above."""
    return -float(special.stdtrit(df, (1 - check_level(level)) / 2))


def z_quantile(level: float) -> float:
    """Return the normal value that cuts off `(1 - level) / 2` above."""
    return -float(special.ndtri((1 - check_level(level)) / 2))


def wald_interval(estimate: float, margin: float) -> Interval:
    """Return the interval `estimate` ± `margin`."""
    return Interval(estimate - margin, estimate + margin)


def _towards(statistic: float, alternative: Alternative) -> float:
    """Return the statistic with the sign for which a small lower tail supports the alternative."""
    if alternative not in ("greater", "less"):
        raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")
    return -statistic if alternative == "greater" else statistic
