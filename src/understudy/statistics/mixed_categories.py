"""Logistic and ordinal mixed models with crossed random intercepts and slopes, by the Laplace approximation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.statistics.arrays import Floats, Ints, dependent_effects, matrix, one_thread, solvable, vector
from understudy.statistics.mixed_laplace import Laplace, LaplaceData, factors_of, laplace, zero_units
from understudy.statistics.mixed_linear import is_singular
from understudy.statistics.mixed_system import Minimum, curvature, lowest, minimum, rough_curvature
from understudy.statistics.mixed_terms import (
    MixedFit,
    Searched,
    Term,
    chosen_rows,
    fixed_term,
    further_starts,
    intercepts_of,
    signed,
    start_parameters,
)

INTERCEPT_SD, SLOPE_SD = 10.0, 2.5
"""Standard deviations of the normal prior of penalised fits, those of R's blme (Chung et al. 2013)."""


@dataclass(frozen=True, kw_only=True)
class CategoryFit(MixedFit):
    """A fitted logistic or ordinal mixed model in log-odds; z tests if it is fitted by maximum likelihood."""

    thresholds: Floats
    """Where log-odds pass from one category to the next, less the intercept."""
    is_penalised: bool


THINNED = 10_000
"""Rows of the part in which a search with many more rows begins."""
_ZERO = 0.02
"""A standard deviation or its root that counts as zero where a search begins."""


class _Model(NamedTuple):
    categories: Ints
    x: Floats
    terms: tuple[Term, ...]
    precisions: Floats


def fit_category_mixed(
    categories: npt.ArrayLike,
    predictors: npt.ArrayLike,
    terms: Sequence[Term],
    *,
    method: Literal["REML", "ML"] = "REML",
    is_penalised: bool = False,
) -> CategoryFit:
    """Fit answers 0, 1, … as lme4's `glmer` or ordinal's `clmm` do (ML), or by the restricted likelihood (REML).

    Parameters
    ----------
    predictors
        Design matrix with one row per answer; its first column must be ones.
    is_penalised
        Whether the fixed effects get a weak normal prior, so that separated answers have finite odds.

    Examples
    --------
    >>> from understudy.statistics.mixed_terms import random_term
    >>> people = np.repeat(np.arange(6), 10)
    >>> yes = np.repeat([9, 7, 3, 5, 2, 8], 10) > np.tile(np.arange(10), 6)
    >>> fit = fit_category_mixed(yes, np.ones((60, 1)), [random_term(people)], method="ML")
    >>> fit.coefficients.round(3), fit.covariances[0].round(3)
    (array([0.327]), array([[0.967]]))
    """
    searched = search_category_mixed(categories, predictors, terms, method=method, is_penalised=is_penalised)
    return searched.finished()


@solvable
@one_thread
def search_category_mixed(
    categories: npt.ArrayLike,
    predictors: npt.ArrayLike,
    terms: Sequence[Term],
    *,
    method: Literal["REML", "ML"] = "REML",
    is_penalised: bool = False,
    has_more_starts: bool = False,
) -> Searched[CategoryFit]:
    """Find the variances of the model that `fit_category_mixed` fits; if wanted, from several starts."""
    y, x = vector(categories, "categories", least=3).astype(np.int64), matrix(predictors, "predictors")
    _check(y, x, method)
    order = sorted(range(len(terms)), key=lambda number: -terms[number].size)
    precisions = np.full(x.shape[1], SLOPE_SD**-2 if is_penalised else 0.0)
    precisions[0] = INTERCEPT_SD**-2 if is_penalised else 0.0
    model = _Model(y, x, tuple(terms[number] for number in order), precisions)
    surface, start = _Surface(_restricted(model)), _start(model)
    if has_more_starts:
        starts = _starts(model, start.parameters)
        found = lowest(surface.value_and_slope, starts, tolerance=_tolerance(y.size))
        surface.at(found.parameters)
    else:
        found = minimum(surface.value_and_slope, start.parameters, tolerance=_tolerance(y.size), curved=start.curved)
    if method == "ML":
        begin = np.concatenate([surface.fixed(), found.parameters])
        surface = _Surface(_plain(model))
        found = minimum(surface.value_and_slope, begin, tolerance=_tolerance(y.size))
    parameters = _with_signs(found.parameters, surface.data)
    factors = factors_of(surface.data.split(parameters)[-1], surface.data)[: len(terms)]
    return Searched(
        covariances=tuple(factors[number] @ factors[number].T for number in np.argsort(order)),
        is_singular=any(is_singular(factor) for factor in factors),
        is_converged=found.is_converged,
        finished=cache(partial(_finished, Minimum(parameters, found.is_converged), surface, model, order)),
    )


@solvable
@one_thread
def _finished(found: Minimum, surface: "_Surface", model: _Model, order: list[int]) -> CategoryFit:
    if surface.data.x.shape[1]:
        fit = _plain_fit(found.parameters, surface, is_converged=found.is_converged)
    else:
        fit = _restricted_fit(found.parameters, surface, is_converged=found.is_converged)
        fit = _given_variances(np.concatenate([fit.coefficients, found.parameters]), _Surface(_plain(model)), fit)
    back = np.argsort(order)
    return replace(
        fit,
        covariances=tuple(fit.covariances[number] for number in back),
        effects=tuple(fit.effects[number] for number in back),
        is_penalised=bool(model.precisions.any()),
    )


def _tolerance(n: int) -> float:
    """Return the slope at which a search ends. Deviance and curvature grow with the rows, and so may the slope."""
    return 1e-5 * max(1.0, n / 500)


class _Start(NamedTuple):
    """Where a search begins, and, with many rows, second derivatives that are nearly right."""

    parameters: Floats
    curved: Floats | None = None


def _start(model: _Model) -> _Start:
    """Return where the search begins: with many rows, where that of a part of the people ended.

    Each step costs as much as there are rows. The part tells direction and length of the steps for a fraction of that.
    """
    y, step = model.categories, model.categories.size // THINNED
    counts = np.bincount(y).astype(np.float64)
    shares = np.cumsum(counts)[:-1] / y.size
    gaps = np.log(np.maximum(np.diff(np.log(shares / (1 - shares))), 1e-3))
    start = _Start(np.concatenate([gaps, start_parameters(model.terms)]))
    if step < 2:
        return start
    # By chance: every second person may be in the same condition.
    rows = (np.random.default_rng(0).random(model.terms[0].n_levels) < 1 / step)[model.terms[0].codes]
    part = _Model(y[rows], model.x[rows], tuple(chosen_rows(term, rows) for term in model.terms), model.precisions)
    is_whole = (
        np.bincount(part.categories, minlength=counts.size).all() and np.linalg.matrix_rank(part.x) == part.x.shape[1]
    )
    if not is_whole:
        return start
    objective = _Surface(_restricted(part)).value_and_slope
    near = minimum(objective, start.parameters, tolerance=_tolerance(part.categories.size)).parameters
    curved = rough_curvature(objective, near) * (y.size / part.categories.size)
    # The slope by a variance of zero is zero, whether or not all rows together have more variance.
    return _Start(np.where(np.abs(near) < _ZERO, _ZERO, near), curved)


def _starts(model: _Model, usual: Floats) -> list[Floats]:
    """Return the usual start of a search and others, among them the fit with intercepts alone."""
    inner = model._replace(terms=intercepts_of(model.terms))
    n_gaps = usual.size - start_parameters(model.terms).size
    begin = np.concatenate([usual[:n_gaps], start_parameters(inner.terms)])
    ended = minimum(_Surface(_restricted(inner)).value_and_slope, begin, tolerance=_tolerance(model.categories.size))
    gaps, intercepts = np.split(ended.parameters, [n_gaps])
    return [usual, *(np.concatenate([gaps, start]) for start in further_starts(model.terms, intercepts))]


def _check(y: Ints, x: Floats, method: str) -> None:
    if method not in ("REML", "ML"):
        raise ValueError(f"method is {method!r}; it must be 'REML' or 'ML'.")
    if len(x) != y.size:
        raise ValueError(f"predictors has {len(x)} rows for {y.size} answers; the numbers must be equal.")
    if not (x[:, 0] == 1).all():
        raise ValueError("The first column of predictors must be ones.")
    rank = int(np.linalg.matrix_rank(x))
    if rank < x.shape[1]:
        raise ValueError(dependent_effects(x.shape[1], rank))
    missing = np.flatnonzero(np.bincount(y) == 0)
    if y.min() < 0 or missing.size or y.max() < 1:
        raise ValueError("Answers must be categories 0, 1, …, with each of at least two of them given by somebody.")


def _restricted(model: _Model) -> LaplaceData:
    """Integrate the fixed effects out."""
    penalties = (*(np.ones(term.width) for term in model.terms), model.precisions)
    none = np.empty((model.categories.size, 0))
    terms = (*model.terms, fixed_term(model.x))
    return LaplaceData(model.categories, terms, penalties, len(model.terms), none, np.empty(0))


def _plain(model: _Model) -> LaplaceData:
    """Keep the fixed effects as parameters."""
    penalties = tuple(np.ones(term.width) for term in model.terms)
    return LaplaceData(model.categories, model.terms, penalties, len(model.terms), model.x, model.precisions)


class _Surface:
    """The deviance as a function of its parameters; each search for modes starts at the previous ones."""

    def __init__(self, data: LaplaceData) -> None:
        self.data = data
        self._units = zero_units(data)

    def at(self, parameters: Floats) -> Laplace:
        point = laplace(parameters, self.data, self._units)
        self._units = point.mode.units
        return point

    def value_and_slope(self, parameters: Floats) -> tuple[float, Floats]:
        point = self.at(parameters)
        return point.deviance, point.slope

    def fixed(self) -> Floats:
        """Return the coefficients that were integrated out, at the last point."""
        coefficients: Floats = self._units[-1][0]
        return coefficients


def _restricted_fit(parameters: Floats, surface: _Surface, *, is_converged: bool) -> CategoryFit:
    p, m = surface.data.terms[-1].width, parameters.size
    hessian, gradients, moves = np.empty((m, m)), np.empty((m, p, p)), np.empty((m, p))
    for j in range(m):
        step = np.zeros(m)
        step[j] = 1e-4 * max(1.0, abs(parameters[j]))
        above, below = surface.at(parameters + step), surface.at(parameters - step)
        hessian[j] = (above.slope - below.slope) / (2 * step[j])
        gradients[j] = (_fixed_block(above, p) - _fixed_block(below, p)) / (2 * step[j])
        moves[j] = (above.mode.units[-1][0] - below.mode.units[-1][0]) / (2 * step[j])
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    kept = values > 1e-7 * max(values[-1], 1.0)
    uncertainty = 2 * (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    point = surface.at(parameters)
    fit = _fit(parameters, surface, point, is_converged=is_converged)
    covariance = _fixed_block(point, p)
    return replace(
        fit,
        coefficients=surface.fixed(),
        covariance=covariance,
        standard_errors=np.sqrt(np.diag(covariance)),
        # The integral over p fixed effects adds log 2π for each.
        log_likelihood=-(point.deviance - p * float(np.log(2 * np.pi))) / 2,
        covariance_gradients=gradients,
        variance_covariance=uncertainty,
        coefficient_gradients=moves,
    )


def _given_variances(parameters: Floats, surface: _Surface, fit: CategoryFit) -> CategoryFit:
    """Find the fixed effects again at the restricted variances, by the likelihood that integrates only random effects.

    Together with the random effects they are estimated too close to zero, as in penalized quasi-likelihood.
    """
    p = fit.coefficients.size
    count = p + surface.data.n_gaps
    variance = parameters[count:]

    def objective(free: Floats) -> tuple[float, Floats]:
        value, slope = surface.value_and_slope(np.concatenate([free, variance]))
        return value, slope[:count]

    n = surface.data.categories.size
    # With many rows, the restricted covariance gives the length of the steps.
    inverse = np.asarray(np.linalg.inv(fit.covariance), dtype=np.float64)
    curved = 2 * inverse if n >= 2 * THINNED and count == p else None
    best = minimum(objective, parameters[:count], tolerance=_tolerance(n), curved=curved).parameters
    covariance = np.asarray(2 * np.linalg.inv(curvature(objective, best))[:p, :p], dtype=np.float64)
    # The sensitivity to variances is that of the restricted covariance, carried over to the new one.
    change = np.linalg.cholesky(covariance) @ np.linalg.inv(np.linalg.cholesky(fit.covariance))
    point = surface.at(np.concatenate([best, variance]))
    gradients = fit.covariance_gradients
    moved = _fit(np.concatenate([best, variance]), surface, point, is_converged=fit.is_converged)
    return replace(
        moved,
        coefficients=best[:p],
        covariance=covariance,
        standard_errors=np.sqrt(np.diag(covariance)),
        log_likelihood=fit.log_likelihood,
        covariance_gradients=None if gradients is None else change @ gradients @ change.T,
        variance_covariance=fit.variance_covariance,
        coefficient_gradients=fit.coefficient_gradients,
    )


def _fixed_block(point: Laplace, p: int) -> Floats:
    return point.mode.system.rest_inverse[-p:, -p:]


def _plain_fit(parameters: Floats, surface: _Surface, *, is_converged: bool) -> CategoryFit:
    hessian = curvature(surface.value_and_slope, parameters)
    p = surface.data.x.shape[1]
    values, vectors = np.linalg.eigh(hessian)
    # A variance at zero has no curvature worth keeping; the others decide the errors, as in glmer.
    kept = values > 1e-7 * values[-1]
    # The deviance is -2 log-likelihood, so its curvature is twice the information.
    covariance = (2 * (vectors[:, kept] / values[kept]) @ vectors[:, kept].T)[:p, :p]
    fit = _fit(parameters, surface, surface.at(parameters), is_converged=is_converged)
    free = p + surface.data.n_gaps
    return replace(
        fit,
        coefficients=parameters[:p],
        covariance=covariance,
        standard_errors=np.sqrt(np.diag(covariance)),
        covariance_at_variances=np.asarray(2 * np.linalg.inv(hessian[:free, :free])[:p, :p], dtype=np.float64),
    )


def _with_signs(parameters: Floats, data: LaplaceData) -> Floats:
    start = parameters.size - sum(int(term.free.sum()) for term in data.random)
    return np.concatenate([parameters[:start], signed(parameters[start:], data.random)])


def _fit(parameters: Floats, surface: _Surface, point: Laplace, *, is_converged: bool) -> CategoryFit:
    data = surface.data
    _, log_gaps, variance = data.split(parameters)
    factors = factors_of(variance, data)[: data.n_random]
    units = point.mode.units[: data.n_random]
    n = data.categories.size
    n_fixed = data.x.shape[1] or data.terms[-1].width
    return CategoryFit(
        coefficients=np.empty(0),
        standard_errors=np.empty(0),
        covariance=np.empty((0, 0)),
        thresholds=np.concatenate([[0.0], np.cumsum(np.exp(log_gaps))]),
        covariances=tuple(factor @ factor.T for factor in factors),
        effects=tuple(unit @ factor.T for unit, factor in zip(units, factors, strict=True)),
        log_likelihood=-point.deviance / 2,
        n=n,
        residual_df=n - n_fixed,
        is_singular=any(is_singular(factor) for factor in factors),
        is_converged=is_converged,
        is_penalised=False,
        covariance_gradients=None,
        variance_covariance=None,
        fitted=point.mode.eta,
    )
