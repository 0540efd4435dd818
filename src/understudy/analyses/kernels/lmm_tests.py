"""Tests of linear mixed models: t for one contrast, F for several, with Satterthwaite's degrees of freedom."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.mixed_fit import MixedFit
from understudy.analyses.kernels.noncentral import eta_squared_interval
from understudy.analyses.kernels.tails import (
    UNKNOWN,
    Alternative,
    EffectTest,
    Interval,
    p_from_f,
    p_from_t,
    p_from_z,
    t_quantile,
    wald_interval,
    z_quantile,
)
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import special

DfMethod = Literal["satterthwaite", "residual"]


class MixedFTest(NamedTuple):
    """A joint test of several contrasts; partial eta² = df F / (df F + error_df)."""

    statistic: float
    df: int
    error_df: float
    p_value: float
    partial_eta_squared: float
    partial_eta_squared_interval: Interval


def lmm_t_test(
    fit: MixedFit,
    contrast: npt.ArrayLike,
    *,
    df_method: DfMethod = "satterthwaite",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> EffectTest:
    """Test one weighted sum of fixed effects against 0.

    Satterthwaite: df = 2 v² / (g' A g), v the variance of the contrast, g its gradient by the variance
    parameters and A their covariance from the observed information (Kuznetsova et al. 2017, lmerTest).

    Examples
    --------
    >>> from understudy.analyses.kernels.mixed_linear import fit_linear_mixed
    >>> from understudy.analyses.kernels.mixed_terms import random_term
    >>> y = [4.1, 5.0, 6.2, 7.1, 5.2, 6.1, 3.0, 4.2]
    >>> x = np.column_stack([np.ones(8), np.tile([0.0, 1.0], 4)])
    >>> test = lmm_t_test(fit_linear_mixed(y, x, [random_term(np.repeat([1, 2, 3, 4], 2))]), [0, 1])
    >>> round(test.statistic, 3), round(test.df, 3)
    (13.0, 3.0)
    """
    weights = np.asarray(contrast, dtype=np.float64)
    if weights.shape != fit.coefficients.shape:
        raise ValueError(f"contrast has shape {weights.shape}; {fit.coefficients.shape} is needed.")
    estimate = float(weights @ fit.coefficients)
    error = float(np.sqrt(weights @ fit.covariance @ weights))
    if not error > 0:
        nan = float("nan")
        return EffectTest(estimate, error, nan, nan, nan, UNKNOWN)
    df = _df(fit, weights, df_method)
    t = estimate / error
    if np.isinf(df):
        interval = wald_interval(estimate, z_quantile(level) * error)
        return EffectTest(estimate, error, t, df, p_from_z(t, alternative), interval)
    interval = wald_interval(estimate, t_quantile(df, level) * error)
    return EffectTest(estimate, error, t, df, p_from_t(t, df, alternative), interval)


def lmm_f_test(
    fit: MixedFit,
    contrasts: npt.ArrayLike,
    *,
    df_method: DfMethod = "satterthwaite",
    level: float = 0.95,
) -> MixedFTest:
    """Test several contrasts, one per row, against 0 together.

    The error degrees of freedom combine those of the orthogonal single contrasts (Fai & Cornelius 1996),
    as in lmerTest.

    Examples
    --------
    >>> from understudy.analyses.kernels.mixed_linear import fit_linear_mixed
    >>> from understudy.analyses.kernels.mixed_terms import random_term
    >>> people, levels = random_term([1, 1, 1, 2, 2, 2, 3, 3, 3]), np.tile(np.eye(3), (3, 1))
    >>> fit = fit_linear_mixed([4.1, 5.0, 6.2, 7.1, 8.3, 8.2, 3.0, 4.2, 5.1], levels, [people])
    >>> test = lmm_f_test(fit, [[1, -1, 0], [0, 1, -1]])
    >>> round(test.statistic, 3), test.df, round(test.error_df, 3)
    (17.331, 2, 4.0)
    """
    rows = np.atleast_2d(np.asarray(contrasts, dtype=np.float64))
    if rows.shape[1] != fit.coefficients.size:
        raise ValueError(f"contrasts has {rows.shape[1]} columns; {fit.coefficients.size} are needed.")
    if np.linalg.matrix_rank(rows) < len(rows):
        raise ValueError(f"The {len(rows)} contrasts follow from each other; leave out those that do.")
    nan = float("nan")
    if not np.isfinite(fit.covariance).all():
        return MixedFTest(nan, len(rows), nan, nan, nan, UNKNOWN)
    # Eigenvectors turn the contrasts into uncorrelated ones, whose squared t values average to F.
    values, vectors = np.linalg.eigh(rows @ fit.covariance @ rows.T)
    single = vectors.T @ rows
    f = float(np.mean((single @ fit.coefficients) ** 2 / values))
    error_df = _combined_df([_df(fit, row, df_method) for row in single])
    df = (len(rows), error_df)
    if np.isinf(error_df):
        # Without an error of its own, F times its df is a chi-square.
        return MixedFTest(f, len(rows), error_df, float(special.chdtrc(len(rows), f * len(rows))), nan, UNKNOWN)
    return MixedFTest(
        statistic=f,
        df=len(rows),
        error_df=error_df,
        p_value=p_from_f(f, df),
        partial_eta_squared=f * df[0] / (f * df[0] + error_df),
        partial_eta_squared_interval=eta_squared_interval(f, df, level=level),
    )


def _df(fit: MixedFit, weights: Floats, df_method: DfMethod) -> float:
    if df_method == "residual":
        return float(fit.residual_df)
    if df_method != "satterthwaite":
        raise ValueError(f"df_method is {df_method!r}; it must be 'satterthwaite' or 'residual'.")
    if fit.covariance_gradients is None or fit.variance_covariance is None:
        return float("inf")
    variance = float(weights @ fit.covariance @ weights)
    # The gradient of the contrast's variance by each variance parameter.
    gradient = np.einsum("i,kij,j->k", weights, fit.covariance_gradients, weights)
    spread = float(gradient @ fit.variance_covariance @ gradient)
    return 2 * variance**2 / spread if spread > 0 else float("inf")


def _combined_df(single: list[float]) -> float:
    if len(single) == 1 or np.isinf(single).any() or np.ptp(single) < 1e-8:
        return float(min(single))
    if min(single) <= 2:
        return 2.0
    # The expectation of the summed squares; an F with the same expectation gives the joint df.
    expected = sum(df / (df - 2) for df in single)
    return 2 * expected / (expected - len(single))
