"""Checks of assumptions: normality and equal variances."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import special, stats
from understudy.statistics.anova import one_way_anova
from understudy.statistics.arrays import Floats, group_vectors, is_negligible, vector


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


# Diagnostics of fitted models as points to draw: quantiles against a normal distribution, and binned residuals.


class Points(NamedTuple):
    """Points of a diagnostic plot."""

    x: Floats
    y: Floats


class BinnedResiduals(NamedTuple):
    """Mean residuals of rows with similar expected answers; `bound` is twice their standard error under the model."""

    expected: Floats
    residual: Floats
    bound: Floats


def normal_quantiles(values: npt.ArrayLike, *, most: int = 200) -> Points:
    """Return sorted values against the normal quantiles at (k - 0.5) / n; at most `most`, both ends included.

    Examples
    --------
    >>> points = normal_quantiles([3.0, 1.0, 2.0])
    >>> points.x.round(3), points.y
    (array([-0.967,  0.   ,  0.967]), array([1., 2., 3.]))
    """
    ordered = np.sort(vector(values, "values"))
    kept = spread_out(ordered.size, most)
    quantiles: Floats = special.ndtri((kept + 0.5) / ordered.size)
    return Points(quantiles, ordered[kept])


def thinned_residuals(fitted: npt.ArrayLike, residuals: npt.ArrayLike, *, most: int = 400) -> Points:
    """Return residuals against fitted values; of more than `most`, those evenly spread over the fitted values.

    Examples
    --------
    >>> thinned_residuals([2.0, 1.0, 3.0], [0.1, -0.2, 0.3], most=2)
    Points(x=array([1., 3.]), y=array([-0.2,  0.3]))
    """
    x, y = vector(fitted, "fitted"), vector(residuals, "residuals")
    order = np.argsort(x, kind="stable")[spread_out(x.size, most)]
    return Points(x[order], y[order])


def binned_residuals(expected: npt.ArrayLike, observed: npt.ArrayLike, spread: npt.ArrayLike) -> BinnedResiduals:
    """Average observed less expected answers over bins of equal size, as single residuals of categories show nothing.

    Gelman & Hill (2007, ch. 5.6). `spread` is the variance of each answer under the model. There are √n bins, from 5 to 40.

    Examples
    --------
    >>> found = binned_residuals([0.2, 0.2, 0.8, 0.8], [0, 1, 1, 1], [0.16, 0.16, 0.16, 0.16])
    >>> found.expected.round(2), found.residual.round(2)
    (array([0.2, 0.2, 0.8, 0.8]), array([-0.2,  0.8,  0.2,  0.2]))
    """
    mean, value, variance = vector(expected, "expected"), vector(observed, "observed"), vector(spread, "spread")
    n_bins = min(mean.size, int(np.clip(np.sqrt(mean.size), 5, 40)))
    parts = np.array_split(np.argsort(mean, kind="stable"), n_bins)
    return BinnedResiduals(
        np.array([mean[part].mean() for part in parts]),
        np.array([(value[part] - mean[part]).mean() for part in parts]),
        np.array([2 * np.sqrt(variance[part].sum()) / part.size for part in parts]),
    )


def spread_out(n: int, most: int) -> npt.NDArray[np.int64]:
    """Return at most `most` of the numbers below n, evenly spread, both ends included."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))
