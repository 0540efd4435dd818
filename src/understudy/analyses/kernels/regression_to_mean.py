"""Regression to the mean: whether Change depends on where people started, beyond what chance explains."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Interval, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import Floats, pairs
from understudy.deferred.scipy import stats


class LineFit(NamedTuple):
    """An ordinary least-squares line with its t test of a slope of 0."""

    slope: float
    intercept: float
    standard_error: float
    statistic: float
    df: int
    p_value: float
    interval: Interval
    n: int


def fit_line(x: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> LineFit:
    """Fit y on x as R's `lm(y ~ x)`; without spread in x, every number is NaN.

    Examples
    --------
    >>> line = fit_line([1, 2, 3, 4], [2.0, 1, 4, 3])
    >>> round(line.slope, 3), round(line.p_value, 3)
    (0.6, 0.4)
    """
    first, second = pairs(x, y, least=3)
    # Rounding leaves a tiny spread of values that are all the same.
    if np.ptp(first) <= 1e-12 * max(1.0, float(np.abs(first).max())):
        nan = float("nan")
        return LineFit(nan, nan, nan, nan, first.size - 2, nan, Interval(nan, nan), first.size)
    regression = stats.linregress(first, second)
    df = first.size - 2
    slope, error = float(regression.slope), float(regression.stderr)
    t = slope / error if error > 0 else float("nan")
    limits = wald_interval(slope, error * t_quantile(df, level))
    return LineFit(slope, float(regression.intercept), error, t, df, p_from_t(t, df), limits, first.size)


def split_slope(before: Floats, after: Floats) -> float:
    """Return the slope of Change on the start if both come from different items of the same person.

    Chance in the first answers enters Change with the opposite sign, which alone makes the plain slope negative. Halves
    of the items (odd and even columns of participants × items matrices) share no chance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> skill = rng.random((400, 1))
    >>> before, after = (np.asarray(rng.random((400, 20)) < skill, dtype=float) for _ in range(2))
    >>> abs(split_slope(before, after)) < 0.06
    True
    """
    slopes = []
    for half in (0, 1):
        # Start and change come from different items, so their errors are independent.
        start = _row_means(before[:, half::2])
        change = _row_means((after - before)[:, 1 - half :: 2])
        is_known = np.isfinite(start) & np.isfinite(change)
        if np.count_nonzero(is_known) > 2 and start[is_known].std() > 0:
            slopes.append(fit_line(start[is_known], change[is_known]).slope)
    return float(np.mean(slopes)) if slopes else float("nan")


def _row_means(table: Floats) -> Floats:
    is_present = ~np.isnan(table)
    counts = is_present.sum(axis=1)
    sums = np.where(is_present, table, 0.0).sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(table), np.nan), where=counts > 0)
    return means
