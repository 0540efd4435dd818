"""Checks of assumptions: normality and equal variances."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.oneway import one_way_anova
from understudy.analyses.kernels.vectors import group_vectors, is_negligible, vector
from understudy.deferred.scipy import stats


class ShapiroWilk(NamedTuple):
    """Shapiro and Wilk's W; NaN for constant data."""

    statistic: float
    p_value: float
    n: int


class Levene(NamedTuple):
    """Levene's test; NaN for groups without spread."""

    statistic: float
    df_between: float
    df_within: float
    p_value: float


def shapiro_wilk(values: npt.ArrayLike) -> ShapiroWilk:
    """Test normality by Royston's (1995) algorithm, for 3 to 5,000 values.

    Examples
    --------
    >>> result = shapiro_wilk([2.1, 3.3, 2.9, 8.0, 3.1, 2.7])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (0.6824, 0.004)
    """
    x = vector(values, "values", least=3)
    if x.size > 5000:
        raise ValueError(f"values holds {x.size} values; the Shapiro–Wilk p-value is known up to 5000.")
    if is_negligible(float(np.ptp(x)), float(np.abs(x).max())):
        return ShapiroWilk(float("nan"), float("nan"), x.size)
    result = stats.shapiro(x)
    return ShapiroWilk(float(result.statistic), float(result.pvalue), x.size)


def levene(groups: Sequence[npt.ArrayLike], *, centre: Literal["mean", "median"] = "mean") -> Levene:
    """Test equal variances by an analysis of variance of absolute deviations.

    "mean" is Levene's (1960) own test; "median" is Brown & Forsythe's (1974), SciPy's default.

    Examples
    --------
    >>> result = levene([[1, 2, 3, 4], [1, 5, 9, 14]])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (5.895, 0.051)
    """
    if centre not in ("mean", "median"):
        raise ValueError(f"centre is {centre!r}; it must be 'mean' or 'median'.")
    middle = np.mean if centre == "mean" else np.median
    samples = group_vectors(groups, least=2)
    # Levene's idea: unequal variances are unequal means of absolute deviations.
    test = one_way_anova([np.abs(x - middle(x)) for x in samples])
    return Levene(test.statistic, test.df_between, test.df_within, test.p_value)
