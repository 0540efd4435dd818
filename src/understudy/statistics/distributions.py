"""Noncentral distributions and far tails, from which limits of effect sizes follow."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from understudy.deferred.scipy import optimize, special

# Tail areas and intervals: p-values and limits from statistics, for all kernels.

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


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(150)
# Nine standard deviations leave less than 1e-18 of a normal, or of a chi about its mean, outside.
_REACH = 9.0
_HUGE = 1e8
"""From this numerator on, its own spread changes limits of eta² by less than 1e-7."""


def noncentral_t_below(t: float, df: float, noncentrality: float) -> float:
    """Return P(T <= t) for T = (Z + noncentrality) / S, S² = χ²(df) / df, good to 1e-12 at any size of t.

    SciPy's distribution (1.17) sometimes returns NaN in its tails, and R's stops at noncentrality 37.6. The
    definition is therefore integrated by Gauss–Legendre over Z or over S, whichever has the smoother
    integrand.

    Examples
    --------
    >>> round(noncentral_t_below(2.0, 10, 1.0), 6)
    0.807612
    """
    if t < 0:
        return 1 - noncentral_t_below(-t, df, -noncentrality)
    # For large t, the integrand over Z is the smoother one.
    if t >= (2 * df) ** 0.5:
        return _over_normal(t, df, noncentrality)
    return _over_chi(t, df, noncentrality)


def noncentral_t_interval(t: float, df: float, *, level: float = 0.95) -> Interval:
    """Find the noncentralities at which the observed t is at either tail.

    Pivoting the noncentral t distribution: Steiger & Fouladi (1997), Smithson (2003).

    Examples
    --------
    >>> low, high = noncentral_t_interval(2.5, 20)
    >>> round(low, 4), round(high, 4)
    (0.3673, 4.5787)
    """
    if not np.isfinite(t):
        return UNKNOWN
    tail = (1 - check_level(level)) / 2
    # The estimator spreads by about sqrt(1 + t²/2df), so a bracket on that scale contains the root for any t.
    reach = 4 * float(np.sqrt(1 + t * t / (2 * df)))
    low = _falling_root(lambda nc: noncentral_t_below(t, df, nc) - (1 - tail), t - reach, t)
    high = _falling_root(lambda nc: noncentral_t_below(t, df, nc) - tail, t, t + reach)
    return Interval(low, high)


def noncentral_f_interval(f: float, df: tuple[float, float], *, level: float = 0.95) -> Interval:
    """Find the noncentralities at which the observed F is at either tail; 0 if there is none.

    Steiger (2004), Beyond the F test.
    """
    if not np.isfinite(f):
        return UNKNOWN
    tail = (1 - check_level(level)) / 2
    if f * df[0] > _HUGE:
        # The numerator is then its noncentrality, and the spread of F is that of its denominator, a chi-square.
        low, high = (float(special.chdtri(df[1], area)) for area in (1 - tail, tail))
        return Interval(f * df[0] / df[1] * low, f * df[0] / df[1] * high)

    def limit(area: float) -> float:
        if special.fdtr(*df, f) <= area:
            return 0.0
        return _falling_root(lambda nc: noncentral_f_below(f, df, nc) - area, 0.0, max(1.0, f * df[0]))

    return Interval(limit(1 - tail), limit(tail))


def noncentral_f_below(f: float, df: tuple[float, float], noncentrality: float) -> float:
    """Return P(F <= f), from SciPy if it gives a result, otherwise as a Poisson mixture of betas.

    Examples
    --------
    >>> round(noncentral_f_below(3.0, (2, 30), 5.0), 6)
    0.488322
    """
    known = float(special.ncfdtr(*df, noncentrality, f))
    if 0 <= known <= 1:
        return known
    return f_mixture_below(f, df, noncentrality)


def f_mixture_below(f: float, df: tuple[float, float], noncentrality: float) -> float:
    """Return P(F <= f) as Σ Poisson(j; λ / 2) I_x(df1 / 2 + j, df2 / 2), x = df1 f / (df1 f + df2)."""
    rate = noncentrality / 2
    # Poisson terms further than nine standard deviations from the rate are negligible.
    spread = _REACH * rate**0.5 + 20
    terms = np.arange(max(0.0, np.floor(rate - spread)), rate + spread)
    # xlogy gives 0 for the first term when the rate is 0.
    chances = np.exp(special.xlogy(terms, rate) - rate - special.gammaln(terms + 1))
    x = df[0] * f / (df[0] * f + df[1])
    return float(chances @ special.betainc(df[0] / 2 + terms, df[1] / 2, x))


def eta_squared_interval(
    f: float, df: tuple[float, float], *, level: float = 0.95, estimate: float | None = None
) -> Interval:
    """Return limits of (partial) eta² as λ / (λ + df1 + df2 + 1), λ from the noncentral F.

    They are limits of the population value, of which the sample's is a biased estimate: at small F both can lie below
    it. A limit that would exclude the `estimate` is moved to it, which can only raise the coverage.

    Examples
    --------
    >>> low, high = eta_squared_interval(5.0, (2, 42), level=0.90)
    >>> round(low, 3), round(high, 3)
    (0.027, 0.335)
    """
    limits = noncentral_f_interval(f, df, level=level)
    total = df[0] + df[1] + 1
    low, high = limits.low / (limits.low + total), limits.high / (limits.high + total)
    if estimate is None:
        return Interval(low, high)
    # An unknown limit comes first, so that it stays unknown.
    return Interval(min(low, estimate), max(high, estimate))


def _over_normal(t: float, df: float, noncentrality: float) -> float:
    """Integrate P(S >= (z + noncentrality) / t) over z; it is 1 wherever z + noncentrality is negative."""
    start = max(-_REACH, -noncentrality)
    if start >= _REACH:
        return 1.0
    half = (_REACH - start) / 2
    z = start + half * (_NODES + 1)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    chances = special.chdtrc(df, df * ((z + noncentrality) / t) ** 2)
    return float(special.ndtr(start) + half * (_WEIGHTS @ (density * chances)))


def _over_chi(t: float, df: float, noncentrality: float) -> float:
    """Integrate P(Z <= t s - noncentrality) over the density of s."""
    start, half = max(0.0, 1 - _REACH / df**0.5), _REACH / df**0.5
    half = (1 + half - start) / 2
    s = start + half * (_NODES + 1)
    log_density = np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2) + (df - 1) * np.log(s) - df * s * s / 2
    return float(half * (_WEIGHTS @ (np.exp(log_density) * special.ndtr(t * s - noncentrality))))


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a decreasing function, widening the bracket until it contains one."""
    step = max(high - low, 1.0)
    while function(high) > 0:
        low, high, step = high, high + step, 2 * step
    while function(low) < 0:
        low, high, step = low - step, low, 2 * step
    return float(optimize.brentq(function, low, high, xtol=1e-11, rtol=1e-13, maxiter=500))
