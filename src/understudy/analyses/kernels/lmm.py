"""Linear mixed model with crossed random intercepts, by REML or ML."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.crossed import Crossed, crossed_from_labels, factor_sums
from understudy.analyses.kernels.lmm_profile import Moments, Profile, curvature, moments, profile, slope
from understudy.analyses.kernels.threads import one_thread
from understudy.analyses.kernels.vectors import Floats, is_negligible, matrix, vector
from understudy.deferred.scipy import optimize


class LinearMixedFit(NamedTuple):
    """A fitted linear mixed model; test its coefficients with `lmm_tests`.

    `variances` has one entry per grouping factor; `is_boundary` means that one of them is zero.
    The other fields are those of `mixed_linear.LinearFit`.
    """

    coefficients: Floats
    standard_errors: Floats
    covariance: Floats
    variances: Floats
    residual_variance: float
    log_likelihood: float
    n: int
    residual_df: int
    is_boundary: bool
    covariance_gradients: Floats
    variance_covariance: Floats


@one_thread
def fit_lmm(
    answers: npt.ArrayLike,
    predictors: npt.ArrayLike,
    groups: Sequence[npt.ArrayLike],
    *,
    method: Literal["REML", "ML"] = "REML",
) -> LinearMixedFit:
    """Fit y = X β + Σ random intercepts + error, as lme4's `lmer(y ~ x + (1 | a) + (1 | b))`.

    Rows are answers, so cells may be missing. The likelihood is that of Bates et al. (2015).

    Parameters
    ----------
    predictors
        Design matrix with one row per answer, including a column of ones.
    groups
        Labels of each grouping factor, one per answer: participants, items, …

    Examples
    --------
    >>> y = [4.1, 5.0, 6.2, 7.1, 5.2, 6.1, 3.0, 4.2]
    >>> x = np.column_stack([np.ones(8), np.tile([0.0, 1.0], 4)])
    >>> fit = fit_lmm(y, x, [np.repeat(["a", "b", "c", "d"], 2)])
    >>> fit.coefficients.round(3), fit.variances.round(3)
    (array([4.625, 0.975]), array([1.747]))
    """
    y, x = vector(answers, "answers", least=3), matrix(predictors, "predictors")
    _check(y, x)
    design = crossed_from_labels(groups, y.size)
    # An ordinary fit without residuals leaves no variance to divide among the factors.
    ordinary = np.asarray(np.linalg.lstsq(x, y, rcond=None)[0], dtype=np.float64)
    if is_negligible(float(np.abs(y - x @ ordinary).max()), float(np.abs(y).max())):
        return _unknown(ordinary, design, y.size)
    if method not in ("REML", "ML"):
        raise ValueError(f"method is {method!r}; it must be 'REML' or 'ML'.")
    data = moments(y, x, design, is_restricted=method == "REML")
    ratios = _best_ratios(data)
    return _result(ratios, profile(ratios, data), data)


def _check(y: Floats, x: Floats) -> None:
    if len(x) != y.size:
        raise ValueError(f"predictors has {len(x)} rows for {y.size} answers; equally many are needed.")
    rank = int(np.linalg.matrix_rank(x))
    if rank < x.shape[1]:
        raise ValueError(f"The {x.shape[1]} predictors have rank {rank}: leave out those that follow.")
    if y.size <= x.shape[1] + 1:
        raise ValueError(f"{y.size} answers for {x.shape[1]} predictors leave nothing to estimate variances.")


def _best_ratios(data: Moments) -> Floats:
    def objective(ratios: Floats) -> tuple[float, Floats]:
        point = profile(ratios, data)
        return point.deviance, slope(point, data)

    m = data.design.n_factors
    optimum = optimize.minimize(
        objective,
        np.ones(m),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * m,
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    return _sharpen(np.asarray(optimum.x, dtype=np.float64), data)


def _sharpen(ratios: Floats, data: Moments) -> Floats:
    """Take a few Newton steps on the ratios that are not at zero."""
    m = ratios.size
    for _ in range(5):
        free = np.flatnonzero(ratios > 0)
        point = profile(ratios, data)
        full = curvature(point, data)
        # The Schur complement profiles σ² out of the full Hessian.
        profiled = full[:m, :m] - np.outer(full[:m, m], full[m, :m]) / full[m, m]
        block = profiled[np.ix_(free, free)]
        if free.size == 0 or np.linalg.eigvalsh(block)[0] <= 0:
            return ratios
        candidate = ratios.copy()
        candidate[free] -= np.linalg.solve(block, slope(point, data)[free])
        # A step that leaves the bounds or raises the deviance is not taken.
        if (candidate < 0).any() or profile(candidate, data).deviance > point.deviance:
            return ratios
        ratios = candidate
    return ratios


def _result(ratios: Floats, point: Profile, data: Moments) -> LinearMixedFit:
    variance = point.residual / data.divisor
    covariance = variance * point.xhx_inverse
    m, free = ratios.size, np.append(ratios > 0, True)
    # A variance at zero is a bound and not an estimate, so it adds no uncertainty.
    uncertainty = np.zeros((m + 1, m + 1))
    uncertainty[np.ix_(free, free)] = 2 * np.linalg.inv(curvature(point, data)[np.ix_(free, free)])
    return LinearMixedFit(
        coefficients=point.coefficients,
        standard_errors=np.sqrt(np.diag(covariance)),
        covariance=covariance,
        variances=ratios * variance,
        residual_variance=variance,
        log_likelihood=-point.deviance / 2,
        n=data.n,
        residual_df=data.n - data.p,
        is_boundary=bool((ratios <= 0).any()),
        covariance_gradients=_gradients(point, data, variance),
        variance_covariance=uncertainty,
    )


def _gradients(point: Profile, data: Moments, variance: float) -> Floats:
    moved = point.zhx @ point.xhx_inverse
    p = data.p
    gradients = np.empty((data.design.n_factors + 1, p, p))
    for i in range(p):
        for j in range(p):
            gradients[:-1, i, j] = variance * factor_sums(data.design, moved[:, i] * moved[:, j])
    gradients[-1] = point.xhx_inverse
    return gradients


def _unknown(coefficients: Floats, design: Crossed, n: int) -> LinearMixedFit:
    p, m, nan = coefficients.size, design.n_factors, float("nan")
    return LinearMixedFit(
        coefficients=coefficients,
        standard_errors=np.full(p, nan),
        covariance=np.full((p, p), nan),
        variances=np.full(m, nan),
        residual_variance=nan,
        log_likelihood=nan,
        n=n,
        residual_df=n - p,
        is_boundary=True,
        covariance_gradients=np.full((m + 1, p, p), nan),
        variance_covariance=np.full((m + 1, m + 1), nan),
    )
