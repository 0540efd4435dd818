"""Linear mixed models: the fit, and tests with Satterthwaite's degrees of freedom."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import special
from understudy.statistics.arrays import Floats, dependent_effects, is_negligible, matrix, one_thread, solvable, vector
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    EffectTest,
    Interval,
    eta_squared_interval,
    p_from_f,
    p_from_t,
    p_from_z,
    t_quantile,
    wald_interval,
    z_quantile,
)
from understudy.statistics.mixed_system import (
    Products,
    System,
    determinant_slopes,
    lowest,
    minimum,
    products,
    solve,
    solve_system,
)
from understudy.statistics.mixed_terms import (
    MixedFit,
    Searched,
    Term,
    factors_from_parameters,
    fixed_term,
    further_starts,
    intercepts_of,
    signed,
    start_parameters,
    sums,
)

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
    >>> from understudy.statistics.mixed_linear import fit_linear_mixed
    >>> from understudy.statistics.mixed_terms import random_term
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
    >>> from understudy.statistics.mixed_linear import fit_linear_mixed
    >>> from understudy.statistics.mixed_terms import random_term
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


# Linear mixed model with crossed random intercepts and slopes, by REML or ML, as lme4's `lmer`.
#
# The relative covariance of a term is L L' with L lower triangular; the fixed effects and the residual variance have
# closed forms given all L, so only the entries of L are searched (Bates et al. 2015). lme4 searches without slopes;
# here the derivative is exact, which takes a tenth of the steps.


@dataclass(frozen=True, kw_only=True)
class LinearFit(MixedFit):
    """A fitted linear mixed model. If the fixed effects explain the answers entirely, all but the coefficients is NaN."""

    residual_variance: float


class _Data(NamedTuple):
    terms: tuple[Term, ...]
    """Random terms, the largest first, then the fixed effects."""
    held: Products
    own: Floats
    rest: Floats
    yy: float
    n: int
    p: int
    is_restricted: bool

    @property
    def random(self) -> tuple[Term, ...]:
        return self.terms[:-1]

    @property
    def penalties(self) -> list[Floats]:
        return [*(np.ones(term.width) for term in self.random), np.zeros(self.p)]

    @property
    def divisor(self) -> int:
        return self.n - self.p if self.is_restricted else self.n


class _Point(NamedTuple):
    log_determinant: float
    residual: float
    upper: Floats
    lower: Floats
    system: System
    slopes_of_determinant: Floats
    slopes_of_residual: Floats


def fit_linear_mixed(
    answers: npt.ArrayLike,
    predictors: npt.ArrayLike,
    terms: Sequence[Term],
    *,
    method: Literal["REML", "ML"] = "REML",
) -> LinearFit:
    """Fit y = X β + Σ Z b + error, as lme4's `lmer(y ~ x + (1 + x | person) + (1 + x | item))`.

    Examples
    --------
    >>> from understudy.statistics.mixed_terms import random_term
    >>> y = [4.1, 5.0, 6.2, 7.1, 5.2, 6.1, 3.0, 4.2]
    >>> x = np.column_stack([np.ones(8), np.tile([0.0, 1.0], 4)])
    >>> fit = fit_linear_mixed(y, x, [random_term(np.repeat(["a", "b", "c", "d"], 2))])
    >>> fit.coefficients.round(3), fit.covariances[0].round(3)
    (array([4.625, 0.975]), array([[1.747]]))
    """
    return search_linear_mixed(answers, predictors, terms, method=method).finished()


@solvable
@one_thread
def search_linear_mixed(
    answers: npt.ArrayLike,
    predictors: npt.ArrayLike,
    terms: Sequence[Term],
    *,
    method: Literal["REML", "ML"] = "REML",
    has_more_starts: bool = False,
) -> Searched[LinearFit]:
    """Find the variances of the model that `fit_linear_mixed` fits; if wanted, from several starts."""
    y, x = vector(answers, "answers", least=3), matrix(predictors, "predictors")
    _check(y, x, method)
    ordinary = np.asarray(np.linalg.lstsq(x, y, rcond=None)[0], dtype=np.float64)
    left = y - x @ ordinary
    order = sorted(range(len(terms)), key=lambda number: -terms[number].size)
    # Each column of the predictors may add its own rounding error.
    if is_negligible(float(np.abs(left).max()), x.shape[1] * float(np.abs(y).max())):
        unknown = _unknown(ordinary, terms, y)
        return Searched(unknown.covariances, unknown.is_singular, unknown.is_converged, lambda: unknown)
    data = _data(left, (*(terms[number] for number in order), fixed_term(x)), is_restricted=method == "REML")
    starts = [start_parameters(data.random)]
    if has_more_starts:
        inner = _data(left, (*intercepts_of(data.random), data.terms[-1]), is_restricted=data.is_restricted)
        ended = minimum(lambda parameters: _profiled(parameters, inner), start_parameters(inner.random))
        starts += further_starts(data.random, ended.parameters)
    found = lowest(lambda parameters: _profiled(parameters, data), starts)
    context = _Context(ordinary, order, x, is_converged=found.is_converged)
    parameters = signed(found.parameters, data.random)
    point, factors = _at(parameters, data), factors_from_parameters(parameters, data.random)
    return Searched(
        covariances=_covariances(factors, point.residual / data.divisor, context),
        is_singular=any(is_singular(factor) for factor in factors),
        is_converged=found.is_converged,
        finished=cache(partial(_result, parameters, point, data, context)),
    )


class _Context(NamedTuple):
    """What the answers had before the search: their ordinary fit, and the order of the terms."""

    ordinary: Floats
    order: list[int]
    x: Floats
    is_converged: bool


def _check(y: Floats, x: Floats, method: str) -> None:
    if method not in ("REML", "ML"):
        raise ValueError(f"method is {method!r}; it must be 'REML' or 'ML'.")
    if len(x) != y.size:
        raise ValueError(f"predictors has {len(x)} rows for {y.size} answers; the numbers must be equal.")
    rank = int(np.linalg.matrix_rank(x))
    if rank < x.shape[1]:
        raise ValueError(dependent_effects(x.shape[1], rank))
    if y.size <= x.shape[1] + 1:
        raise ValueError(f"{y.size} answers for {x.shape[1]} predictors leave nothing to estimate variances.")


def _data(left: Floats, terms: tuple[Term, ...], *, is_restricted: bool) -> _Data:
    # Answers without their ordinary fit keep sums of squares small, so that differences of them stay exact.
    return _Data(
        terms=terms,
        held=products(terms, np.ones(left.size)),
        own=sums(terms[0], left),
        rest=np.concatenate([sums(term, left).ravel() for term in terms[1:]]),
        yy=float(left @ left),
        n=left.size,
        p=terms[-1].width,
        is_restricted=is_restricted,
    )


def _at(parameters: Floats, data: _Data) -> _Point:
    factors = [*factors_from_parameters(parameters, data.random), np.eye(data.p)]
    system = solve_system(data.held, factors, data.terms, data.penalties)
    own, rest = data.own @ factors[0], _by_factor(data.rest, factors, data)
    upper, lower = solve(system, own, rest)
    residual = data.yy - float((own * upper).sum()) - float(rest @ lower)
    determinant, slopes = system.log_determinant, determinant_slopes(system, data.held, factors, data.terms)[:-1]
    if not data.is_restricted:
        determinant -= 2 * float(np.log(np.diag(system.rest_root)[-data.p :]).sum())
        slopes = [
            slope - of_fixed for slope, of_fixed in zip(slopes, _fixed_slopes(system, factors, data), strict=True)
        ]
    pulls = _residual_sums(factors, data, upper=upper, lower=lower)
    return _Point(
        log_determinant=determinant,
        residual=residual,
        upper=upper,
        lower=lower,
        system=system,
        slopes_of_determinant=_free(slopes, data),
        slopes_of_residual=_free([-2 * pull for pull in pulls], data),
    )


def _by_factor(values: Floats, factors: Sequence[Floats], data: _Data) -> Floats:
    parts = np.split(values, np.cumsum([term.size for term in data.terms[1:-1]]))
    scaled = [
        (part.reshape(term.n_levels, term.width) @ factor).ravel()
        for part, factor, term in zip(parts, factors[1:], data.terms[1:], strict=True)
    ]
    return np.concatenate(scaled)


def _residual_sums(factors: Sequence[Floats], data: _Data, *, upper: Floats, lower: Floats) -> list[Floats]:
    """Return Σ over levels of (Z'e) u' for each random term, e the residuals: the slope of their squares."""
    effects = upper @ factors[0].T
    spread = _by_factor(lower, [factor.T for factor in factors], data)
    own = data.own - np.einsum("lab,lb->la", data.held.own, effects) - data.held.across @ spread
    rest = data.rest - np.einsum("laq,la->q", data.held.across, effects) - data.held.rest @ spread
    pulls, start = [own.T @ upper], 0
    for term in data.random[1:]:
        here = slice(start, start + term.size)
        pulls.append(rest[here].reshape(-1, term.width).T @ lower[here].reshape(-1, term.width))
        start += term.size
    return pulls


def _fixed_slopes(system: System, factors: Sequence[Floats], data: _Data) -> list[Floats]:
    """Return the derivative of log |X'H⁻¹X|, which ML leaves out of the determinant."""
    p = data.p
    # With N = M[:, x] M[x, x]⁻¹, the derivative of log |M[x, x]⁻¹| by A is N N' summed over columns of x.
    inverse = system.rest_inverse[:, -p:] @ np.linalg.inv(system.rest_inverse[-p:, -p:])
    weight = system.rest_inverse[-p:, -p:]
    upper = -system.reduced @ inverse
    spread = _matrix_by_factor(inverse, factors, data)
    moved = np.einsum("lab,lbx->lax", data.held.own @ factors[0], upper) + data.held.across @ spread
    slopes = [2 * np.einsum("lax,xy,lby->ab", moved, weight, upper, optimize=True)]
    own = np.einsum("laq,lax->qx", data.held.across, factors[0] @ upper)
    rest, start = own + data.held.rest @ spread, 0
    for term in data.random[1:]:
        here = slice(start, start + term.size)
        shape = (term.n_levels, term.width, p)
        pair = rest[here].reshape(shape), inverse[here].reshape(shape)
        slopes.append(2 * np.einsum("lax,xy,lby->ab", pair[0], weight, pair[1], optimize=True))
        start += term.size
    return slopes


def _matrix_by_factor(values: Floats, factors: Sequence[Floats], data: _Data) -> Floats:
    transposed = [factor.T for factor in factors]
    return np.column_stack([_by_factor(column, transposed, data) for column in values.T])


def _free(slopes: Sequence[Floats], data: _Data) -> Floats:
    return np.concatenate([slope[term.free] for slope, term in zip(slopes, data.random, strict=True)])


def _profiled(parameters: Floats, data: _Data) -> tuple[float, Floats]:
    """Return -2 log-likelihood with the residual variance at its best value, and its derivative."""
    point = _at(parameters, data)
    m = data.divisor
    if point.residual <= 1e-14 * data.yy:
        raise np.linalg.LinAlgError("The random effects explain the answers entirely.")
    deviance = point.log_determinant + m * (1 + np.log(2 * np.pi * point.residual / m))
    return float(deviance), point.slopes_of_determinant + m * point.slopes_of_residual / point.residual


def _covariances(factors: Sequence[Floats], variance: float, context: _Context) -> tuple[Floats, ...]:
    return tuple(variance * factors[number] @ factors[number].T for number in np.argsort(context.order))


@solvable
@one_thread
def _result(parameters: Floats, point: _Point, data: _Data, context: _Context) -> LinearFit:
    variance = point.residual / data.divisor
    covariance = variance * point.system.rest_inverse[-data.p :, -data.p :]
    factors = factors_from_parameters(parameters, data.random)
    gradients, uncertainty = _sensitivity(parameters, point, data)
    effects = _effects(point, factors, data)
    coefficients = context.ordinary + point.lower[-data.p :]
    rows = [
        np.einsum("ij,ij->i", term.columns, held[term.codes]) for term, held in zip(data.random, effects, strict=True)
    ]
    back = np.argsort(context.order)
    return LinearFit(
        coefficients=coefficients,
        standard_errors=np.sqrt(np.diag(covariance)),
        covariance=covariance,
        covariances=_covariances(factors, variance, context),
        effects=tuple(effects[number] for number in back),
        residual_variance=variance,
        log_likelihood=-_profiled(parameters, data)[0] / 2,
        n=data.n,
        residual_df=data.n - data.p,
        is_singular=any(is_singular(factor) for factor in factors),
        is_converged=context.is_converged,
        covariance_gradients=gradients,
        variance_covariance=uncertainty,
        fitted=context.x @ coefficients + np.sum(rows, axis=0),
    )


def is_singular(factor: Floats, tolerance: float = 1e-4) -> bool:
    """Return whether a covariance has (almost) no variance in some direction, by lme4's tolerance."""
    return bool(np.linalg.svd(factor, compute_uv=False)[-1] < tolerance)


def _effects(point: _Point, factors: Sequence[Floats], data: _Data) -> list[Floats]:
    parts = np.split(point.lower, np.cumsum([term.size for term in data.terms[1:-1]]))[:-1]
    units = [point.upper, *(part.reshape(-1, term.width) for part, term in zip(parts, data.random[1:], strict=True))]
    return [unit @ factor.T for unit, factor in zip(units, factors, strict=True)]


def _sensitivity(parameters: Floats, point: _Point, data: _Data) -> tuple[Floats, Floats]:
    """Return the gradients of Cov(β) by (θ, σ), and the covariance of (θ, σ) from the observed information."""
    m, p, sigma = parameters.size, data.p, np.sqrt(point.residual / data.divisor)
    hessian, gradients = np.empty((m + 1, m + 1)), np.empty((m + 1, p, p))
    for j in range(m):
        step = np.zeros(m)
        step[j] = 1e-4 * max(1.0, abs(parameters[j]))
        above, below = _at(parameters + step, data), _at(parameters - step, data)
        rise = _slopes(above, sigma) - _slopes(below, sigma)
        hessian[j, :m] = rise / (2 * step[j])
        moved = above.system.rest_inverse[-p:, -p:] - below.system.rest_inverse[-p:, -p:]
        gradients[j] = sigma**2 * moved / (2 * step[j])
    hessian[:m, :m] = (hessian[:m, :m] + hessian[:m, :m].T) / 2
    hessian[m, :m] = hessian[:m, m] = -2 * point.slopes_of_residual / sigma**3
    hessian[m, m] = 4 * data.divisor / sigma**2
    gradients[m] = 2 * sigma * point.system.rest_inverse[-p:, -p:]
    # Directions without curvature, as at a boundary, add no uncertainty (lmerTest does the same).
    values, vectors = np.linalg.eigh(hessian)
    kept = values > 1e-7 * values[-1]
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return gradients, 2 * inverse


def _slopes(point: _Point, sigma: float) -> Floats:
    return point.slopes_of_determinant + point.slopes_of_residual / sigma**2


def _unknown(coefficients: Floats, terms: Sequence[Term], y: Floats) -> LinearFit:
    nan, p = float("nan"), coefficients.size
    m = sum(int(term.free.sum()) for term in terms) + 1
    return LinearFit(
        coefficients=coefficients,
        standard_errors=np.full(p, nan),
        covariance=np.full((p, p), nan),
        covariances=tuple(np.full((term.width, term.width), nan) for term in terms),
        effects=tuple(np.full((term.n_levels, term.width), nan) for term in terms),
        residual_variance=nan,
        log_likelihood=nan,
        n=y.size,
        residual_df=y.size - p,
        is_singular=False,
        is_converged=True,
        covariance_gradients=np.full((m, p, p), nan),
        variance_covariance=np.full((m, m), nan),
        fitted=y,
    )
