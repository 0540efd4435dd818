"""A planned contrast of two group means whose error comes from all groups of a one-way design."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Alternative, Interval, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import vector


class PlannedContrast(NamedTuple):
    """A contrast with its t test; without spread in any group, all but the estimate is NaN.

    `d` is the difference in units of the pooled standard deviation, and `r` = sqrt(t² / (t² + df)).
    """

    estimate: float
    standard_error: float
    statistic: float
    df: int
    p_value: float
    interval: Interval
    d: float
    r: float


def planned_contrast(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    others: Sequence[npt.ArrayLike],
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> PlannedContrast:
    """Test the difference of two means against the mean square within all groups (Maxwell & Delaney 2004, ch. 4).

    Examples
    --------
    >>> test = planned_contrast([4, 5, 6, 5], [2, 3, 2, 3], [[7, 8, 7, 9]])
    >>> round(test.statistic, 3), test.df, round(test.p_value, 5)
    (4.423, 9, 0.00166)
    """
    groups = [vector(values, f"group {number}") for number, values in enumerate((first, second, *others), start=1)]
    n = sum(values.size for values in groups)
    df = n - len(groups)
    estimate = float(groups[0].mean() - groups[1].mean())
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in groups)
    nan = float("nan")
    if df < 1 or squares <= 1e-12 * max(1.0, sum(float((values**2).sum()) for values in groups)):
        return PlannedContrast(estimate, nan, nan, df, nan, UNKNOWN, nan, nan)
    error = squares / df
    standard_error = float(np.sqrt(error * (1 / groups[0].size + 1 / groups[1].size)))
    statistic = estimate / standard_error
    return PlannedContrast(
        estimate,
        standard_error,
        statistic,
        df,
        p_from_t(statistic, df, alternative),
        wald_interval(estimate, t_quantile(df, level) * standard_error),
        estimate / float(np.sqrt(error)),
        float(np.sqrt(statistic**2 / (statistic**2 + df))),
    )
