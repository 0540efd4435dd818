"""Logistic mixed model with crossed random intercepts, by the Laplace approximation."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.crossed import crossed_from_labels
from understudy.analyses.kernels.glmm_laplace import BinaryData, Laplace, counted, laplace
from understudy.analyses.kernels.logistic import check_design, is_separated
from understudy.analyses.kernels.threads import one_thread
from understudy.analyses.kernels.vectors import Bools, Floats, matrix, vector
from understudy.deferred.scipy import optimize


class LogisticMixedFit(NamedTuple):
    """A fitted logistic mixed model in log-odds; test it with `wald.log_odds_test`.

    `variances` and `modes` have one entry per grouping factor; modes are the conditional intercepts of its
    levels, by sorted label. `is_boundary` means that a variance is zero. With perfect separation, every number is NaN.
    """

    coefficients: Floats
    standard_errors: Floats
    covariance: Floats
    variances: Floats
    log_likelihood: float
    modes: tuple[Floats, ...]
    n: int
    is_boundary: bool
    is_converged: bool
    is_separated: bool


@one_thread
def fit_glmm(answers: npt.ArrayLike, predictors: npt.ArrayLike, groups: Sequence[npt.ArrayLike]) -> LogisticMixedFit:
    """Fit yes/no answers as lme4's `glmer(y ~ x + (1 | a) + (1 | b), family = binomial)` with nAGQ = 1.

    Standard errors come from the curvature of the Laplace likelihood in all parameters, as glmer's. `predictors`
    has a column of ones; `groups` labels each grouping factor, one label per answer.

    Examples
    --------
    >>> people = np.repeat(np.arange(6), 10)
    >>> yes = np.repeat([9, 7, 3, 5, 2, 8], 10) > np.tile(np.arange(10), 6)
    >>> fit = fit_glmm(yes, np.ones((60, 1)), [people])
    >>> fit.coefficients.round(3), fit.variances.round(3)
    (array([0.327]), array([0.967]))
    """
    y, x = vector(answers, "answers", least=3), matrix(predictors, "predictors")
    check_design(y, x)
    design = crossed_from_labels(groups, y.size)
    # Checked first, because the search would run towards infinity.
    if is_separated(y, x):
        return _separated(x.shape[1], [int((design.factors == j).sum()) for j in range(design.n_factors)], y.size)
    data = counted(y, x, design)
    surface = _Surface(data)
    start = np.concatenate([np.zeros(x.shape[1]), np.ones(design.n_factors)])
    bounds = [(None, None)] * x.shape[1] + [(0, None)] * design.n_factors
    optimum = optimize.minimize(
        surface.value_and_slope,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 500},
    )
    return _result(np.asarray(optimum.x, dtype=np.float64), surface, y.size)


class _Surface:
    """The deviance as a function of its parameters; each search for modes starts at the previous ones."""

    def __init__(self, data: BinaryData) -> None:
        self.data = data
        self._modes = np.zeros(data.design.n_levels)

    def at(self, parameters: Floats) -> Laplace:
        point = laplace(parameters, self.data, self._modes)
        self._modes = point.unit_modes
        return point

    def value_and_slope(self, parameters: Floats) -> tuple[float, Floats]:
        point = self.at(parameters)
        return point.deviance, point.slope

    def curvature(self, parameters: Floats, free: Bools) -> Floats:
        """Return second derivatives of the free parameters by central differences of the exact slope."""
        p = self.data.x.shape[1]
        columns = []
        for j in np.flatnonzero(free):
            width = 1e-4 * max(1.0, abs(parameters[j]))
            # The step must not reach below zero, where the variance is undefined.
            width = min(width, parameters[j] / 4) if j >= p else width
            step = np.zeros(parameters.size)
            step[j] = width
            rise = self.at(parameters + step).slope - self.at(parameters - step).slope
            columns.append(rise[free] / (2 * width))
        hessian = np.column_stack(columns)
        # Finite differences are slightly asymmetric; the true Hessian is not.
        symmetric: Floats = (hessian + hessian.T) / 2
        return symmetric


def _result(parameters: Floats, surface: _Surface, n: int) -> LogisticMixedFit:
    p = surface.data.x.shape[1]
    is_variance = np.arange(parameters.size) >= p
    # The search stops just above the bound; such a variance is zero.
    parameters = np.where(is_variance & (parameters < 1e-9), 0.0, parameters)
    free = ~is_variance | (parameters > 0)
    # A few Newton steps bring the slope closer to zero than the search does.
    for _ in range(3):
        hessian = surface.curvature(parameters, free)
        if np.linalg.eigvalsh(hessian)[0] <= 0:
            break
        slope = surface.at(parameters).slope[free]
        candidate = parameters.copy()
        candidate[free] -= np.linalg.solve(hessian, slope)
        if (candidate[is_variance] < 0).any():
            break
        parameters = candidate
        if np.abs(slope).max() < 1e-7:
            break
    point = surface.at(parameters)
    is_converged = bool(np.linalg.eigvalsh(hessian)[0] > 0 and np.abs(point.slope[free]).max() < 1e-3)
    # The deviance is -2 log-likelihood, so its Hessian is twice the information.
    covariance = np.asarray(2 * np.linalg.inv(hessian)[:p, :p], dtype=np.float64)
    ratios, factors = parameters[p:], surface.data.design.factors
    modes = np.sqrt(ratios)[factors] * point.unit_modes
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(covariance))
    return LogisticMixedFit(
        coefficients=parameters[:p],
        standard_errors=errors,
        covariance=covariance,
        variances=ratios,
        log_likelihood=-point.deviance / 2,
        modes=tuple(modes[factors == j] for j in range(ratios.size)),
        n=n,
        is_boundary=bool((ratios == 0).any()),
        is_converged=is_converged,
        is_separated=False,
    )


def _separated(p: int, levels: list[int], n: int) -> LogisticMixedFit:
    nan = float("nan")
    return LogisticMixedFit(
        coefficients=np.full(p, nan),
        standard_errors=np.full(p, nan),
        covariance=np.full((p, p), nan),
        variances=np.full(len(levels), nan),
        log_likelihood=nan,
        modes=tuple(np.full(count, nan) for count in levels),
        n=n,
        is_boundary=False,
        is_converged=False,
        is_separated=True,
    )
