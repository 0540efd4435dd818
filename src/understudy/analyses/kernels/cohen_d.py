"""Standardized mean differences with intervals from the noncentral t distribution."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.noncentral import noncentral_t_interval
from understudy.analyses.kernels.tails import UNKNOWN, Interval
from understudy.deferred.scipy import special


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
