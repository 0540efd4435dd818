"""Least squares on single trials, with errors that allow the rows of a person (and of an item) to go together."""

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Alternative, EffectTest, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import Floats, Ints, is_negligible, matrix, vector
from understudy.deferred.statsmodels import linear_model, sandwich_covariance


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
        raise ValueError("Robust errors need at least 2 people (and items) to see how far they differ.")
    model = linear_model.OLS(y, x).fit()
    estimate = float(model.params[1])
    variance = float(_covariance(model, clusters)[1, 1])
    nan = float("nan")
    if not variance > 0 or is_negligible(variance**0.5, float(np.abs(y).max())):
        return EffectTest(estimate, nan, nan, n_clusters - 1, nan, UNKNOWN)
    error, df = variance**0.5, n_clusters - 1
    t = estimate / error
    limits = wald_interval(estimate, t_quantile(df, level) * error)
    return EffectTest(estimate, error, t, df, p_from_t(t, df, alternative), limits)


def _covariance(model: object, clusters: tuple[Ints, ...]) -> Floats:
    if len(clusters) == 1:
        one_way: Floats = sandwich_covariance.cov_cluster(model, clusters[0])
        return one_way
    both: Floats = sandwich_covariance.cov_cluster_2groups(model, clusters[0], clusters[1])[0]
    return both
