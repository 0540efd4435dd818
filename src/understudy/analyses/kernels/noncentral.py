"""Confidence limits of noncentrality parameters, from which those of d and eta² follow."""

from collections.abc import Callable

import numpy as np
from scipy import optimize, stats

from understudy.analyses.kernels.tails import UNKNOWN, Interval, check_level


def noncentral_t_interval(t: float, df: float, *, level: float = 0.95) -> Interval:
    """Find the noncentralities under which the observed t sits at either tail.

    Pivoting the noncentral t distribution: Steiger & Fouladi (1997), Smithson (2003).

    Examples
    --------
    >>> low, high = noncentral_t_interval(2.5, 20)
    >>> round(low, 4), round(high, 4)
    (0.3844, 4.5662)
    """
    if not np.isfinite(t):
        return UNKNOWN
    tail = (1 - check_level(level)) / 2
    # The estimator spreads by sqrt(1 + t²/2df): a bracket on that scale holds the root at any size of t.
    reach = 10 * np.sqrt(1 + t * t / (2 * df))

    def excess(noncentrality: float, area: float) -> float:
        return float(stats.nct.cdf(t, df, noncentrality)) - area

    low = _falling_root(lambda nc: excess(nc, 1 - tail), t - reach, t)
    high = _falling_root(lambda nc: excess(nc, tail), t, t + reach)
    return Interval(low, high)


def noncentral_f_interval(f: float, df: tuple[float, float], *, level: float = 0.95) -> Interval:
    """Find the noncentralities under which the observed F sits at either tail; 0 where none does.

    Steiger (2004), Beyond the F test.
    """
    if not np.isfinite(f):
        return UNKNOWN
    tail = (1 - check_level(level)) / 2

    def excess(noncentrality: float, area: float) -> float:
        if noncentrality == 0:
            return float(stats.f.cdf(f, *df)) - area
        return float(stats.ncf.cdf(f, *df, noncentrality)) - area

    limits = []
    for area in (1 - tail, tail):
        is_at_floor = excess(0.0, area) <= 0
        limits.append(0.0 if is_at_floor else _falling_root(lambda nc, a=area: excess(nc, a), 0.0, 1.0))  # type: ignore[misc]
    return Interval(limits[0], limits[1])


def eta_squared_interval(f: float, df: tuple[float, float], *, level: float = 0.95) -> Interval:
    """Return limits of (partial) eta² as λ / (λ + df1 + df2 + 1), λ from the noncentral F.

    Examples
    --------
    >>> low, high = eta_squared_interval(5.0, (2, 42), level=0.90)
    >>> round(low, 3), round(high, 3)
    (0.03, 0.324)
    """
    limits = noncentral_f_interval(f, df, level=level)
    total = df[0] + df[1] + 1
    return Interval(limits.low / (limits.low + total), limits.high / (limits.high + total))


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a falling function, widening the bracket until it holds one."""
    step = max(high - low, 1.0)
    while function(high) > 0:
        low, high, step = high, high + step, 2 * step
    while function(low) < 0:
        low, high, step = low - step, low, 2 * step
    return float(optimize.brentq(function, low, high, xtol=1e-12, rtol=1e-14, maxiter=500))
