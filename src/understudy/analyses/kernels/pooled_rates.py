"""Rates over all cases of all people, with errors that allow for people who differ."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Alternative, EffectTest, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import pairs


class PooledRate(NamedTuple):
    """Events per case, with the linearized error of a ratio; NaN without a case."""

    estimate: float
    standard_error: float
    n_people: int
    n_cases: float


def pooled_rate(events: npt.ArrayLike, cases: npt.ArrayLike) -> PooledRate:
    """Return Σ events / Σ cases of people, with the error of a ratio estimator (Cochran 1977, section 6.3).

    People without a case count for nothing, which a mean of people's own rates could not say.

    Examples
    --------
    >>> found = pooled_rate([1, 2, 0, 3], [2, 4, 1, 3])
    >>> round(found.estimate, 3), round(found.standard_error, 4)
    (0.6, 0.1633)
    """
    happened, possible = pairs(events, cases, least=1)
    n, total = happened.size, float(possible.sum())
    if total == 0:
        return PooledRate(float("nan"), float("nan"), n, 0.0)
    rate = float(happened.sum()) / total
    residual = (happened - rate * possible) / total
    error = float(np.sqrt(n / (n - 1) * (residual**2).sum())) if n > 1 else float("nan")
    return PooledRate(rate, error, n, total)


def rate_difference(
    first: PooledRate, second: PooledRate | None, *, alternative: Alternative = "two-sided", level: float = 0.95
) -> EffectTest:
    """Compare the rates of two groups of people with Welch's degrees of freedom, or give one rate its interval."""
    estimate = first.estimate - (second.estimate if second else 0.0)
    parts = [(rate.standard_error**2, rate.n_people - 1) for rate in (first, second) if rate is not None]
    variance = sum(part for part, _ in parts)
    nan = float("nan")
    if not variance > 0:
        return EffectTest(estimate, nan, nan, nan, nan, UNKNOWN)
    df = variance**2 / sum(part**2 / n for part, n in parts)
    error = variance**0.5
    interval = wald_interval(estimate, t_quantile(df, level) * error)
    return EffectTest(estimate, error, estimate / error, df, p_from_t(estimate / error, df, alternative), interval)
