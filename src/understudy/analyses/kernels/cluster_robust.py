"""Least squares on single trials, with errors that allow the rows of a person (and of an item) to go together."""

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Alternative, EffectTest, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import Floats, Ints, is_negligible, matrix, vector


def cluster_robust(
    values: npt.ArrayLike,
    predictors: npt.ArrayLike,
    clusters: tuple[Ints, ...],
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> EffectTest:
    """Test the second coefficient of a regression, with errors clustered in one or two ways.

    The covariance is that of Liang & Zeger (1986) times G / (G - 1) · (N - 1) / (N - k), as `vcovCL(type = "HC1")` of
    R's sandwich; two ways add both and subtract that of their intersection (Cameron, Gelbach & Miller 2011). t has as
    many degrees of freedom as the smaller number of clusters less 1.

    Examples
    --------
    >>> x = np.column_stack([np.ones(6), [1, 1, 1, 0, 0, 0]])
    >>> found = cluster_robust([5, 6, 8, 3, 2, 4], x, (np.array([0, 0, 1, 2, 2, 3]),))
    >>> round(found.estimate, 3), round(found.standard_error, 3), found.df
    (3.333, 1.183, 3)
    """
    y, x = vector(values, "values", least=3), matrix(predictors, "predictors", least=(3, 2))
    n_clusters = min(len(np.unique(labels)) for labels in clusters)
    if n_clusters < 2:
        raise ValueError("Robust errors need at least 2 people (and items) to estimate how much they differ.")
    inverse = np.linalg.pinv(x)
    coefficients = inverse @ y
    estimate = float(coefficients[1])
    variance = float(_covariance(inverse.T * (y - x @ coefficients)[:, None], clusters)[1, 1])
    nan = float("nan")
    if not variance > 0 or is_negligible(variance**0.5, float(np.abs(y).max())):
        return EffectTest(estimate, nan, nan, n_clusters - 1, nan, UNKNOWN)
    error, df = variance**0.5, n_clusters - 1
    t = estimate / error
    limits = wald_interval(estimate, t_quantile(df, level) * error)
    return EffectTest(estimate, error, t, df, p_from_t(t, df, alternative), limits)


def _covariance(influences: Floats, clusters: tuple[Ints, ...]) -> Floats:
    """Return the covariance of coefficients from what each row moves them by, summed within clusters."""
    if len(clusters) == 1:
        return _one_way(influences, clusters[0])
    _, both = np.unique(np.column_stack(clusters), axis=0, return_inverse=True)
    return sum((_one_way(influences, labels) for labels in clusters), -_one_way(influences, both))


def _one_way(influences: Floats, labels: Ints) -> Floats:
    n, k = influences.shape
    _, codes = np.unique(labels, return_inverse=True)
    sums = np.zeros((int(codes.max()) + 1, k))
    np.add.at(sums, codes, influences)
    g = len(sums)
    covariance: Floats = sums.T @ sums * (g / (g - 1) * (n - 1) / (n - k))
    return covariance
