"""Laplace's method for ordered answers, and the shares that a model implies over people and items.

P(answer ≤ j) = F(τ_j - η). Since F(a) - F(b) = F(a) (1 - F(b)) (1 - exp(b - a)), and a - b does not depend on η, the
log-likelihood of a row is a sum of two logistic ones and a gap: every derivative is as simple as in a logistic model.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from understudy.deferred.scipy import optimize, special
from understudy.statistics.arrays import Floats, Ints
from understudy.statistics.mixed_system import (
    Products,
    System,
    determinant_slopes,
    leverages,
    products,
    solve,
    solve_system,
)
from understudy.statistics.mixed_terms import Term, factors_from_parameters, spread_out, sums


class Rows(NamedTuple):
    """The log-likelihood of all rows together, and derivatives by each row's predictor η."""

    total: float
    slope: Floats
    weight: Floats
    """Minus the second derivative."""
    turn: Floats
    """The derivative of the weight."""


class ByGap(NamedTuple):
    """Derivatives by the logarithms of the gaps between thresholds: of the total, the slopes and the weights."""

    total: Floats
    slope: Floats
    weight: Floats


def thresholds(log_gaps: Floats) -> Floats:
    """Return the thresholds between categories: the first is 0, since the intercept holds its place.

    >>> thresholds(np.array([0.0, np.log(2)]))
    array([0., 1., 3.])
    """
    return np.concatenate([[0.0], np.cumsum(np.exp(log_gaps))])


def row_terms(categories: Ints, eta: Floats, log_gaps: Floats) -> Rows:
    """Return the log-likelihood of categories 0, 1, … at η and its derivatives."""
    if not log_gaps.size and categories.max() < 2:
        # Yes and no need no thresholds, and are by far the most frequent case: one exponential of what is never positive,
        # so that it cannot overflow, gives everything.
        rare = np.exp(-np.abs(eta))
        whole = 1 + rare
        share = np.where(eta < 0, rare, 1.0) / whole
        total = float(np.minimum(np.where(categories > 0, eta, -eta), 0.0).sum() - np.log(whole).sum())
        weight = rare / whole**2
        return Rows(total, categories - share, weight, weight * (1 - 2 * share))
    above, below = _sides(categories, eta, log_gaps)
    high, low = special.expit(above), special.expit(below)
    with np.errstate(invalid="ignore"):
        gaps = np.where(np.isfinite(above) & np.isfinite(below), above - below, np.inf)
    # Thresholds that fall together make an answer between them impossible: its likelihood is zero, and the search goes back.
    with np.errstate(divide="ignore"):
        fit = special.log_expit(above) + special.log_expit(-below) + np.log1p(-np.exp(-gaps))
    upper, lower = high * (1 - high), low * (1 - low)
    turn = -upper * (1 - 2 * high) - lower * (1 - 2 * low)
    return Rows(float(fit.sum()), high + low - 1, upper + lower, turn)


def gap_terms(categories: Ints, eta: Floats, log_gaps: Floats) -> ByGap:
    """Return the derivatives by the logarithm of each gap."""
    above, below = _sides(categories, eta, log_gaps)
    high, low = special.expit(above), special.expit(below)
    gaps = np.exp(log_gaps)
    # Threshold j moves with every gap up to it.
    moves = np.vstack([np.zeros(gaps.size), np.tril(np.tile(gaps, (gaps.size, 1)))])
    ends = np.zeros((1, gaps.size))
    by_upper, by_lower = np.vstack([moves, ends])[categories], np.vstack([ends, moves])[categories]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        is_inner = np.isfinite(above) & np.isfinite(below)
        narrow = np.where(is_inner, 1 / np.expm1(np.where(is_inner, above - below, 1.0)), 0.0)
    total = by_upper.T @ (1 - high + narrow) + by_lower.T @ (-low - narrow)
    upper, lower = high * (1 - high), low * (1 - low)
    slope = by_upper * upper[:, None] + by_lower * lower[:, None]
    weight = by_upper * (upper * (1 - 2 * high))[:, None] + by_lower * (lower * (1 - 2 * low))[:, None]
    return ByGap(total, slope, weight)


def _sides(categories: Ints, eta: Floats, log_gaps: Floats) -> tuple[Floats, Floats]:
    ends = np.concatenate([[-np.inf], thresholds(log_gaps), [np.inf]])
    return ends[categories + 1] - eta, ends[categories] - eta


# Laplace likelihood of mixed models for yes/no and ordered answers, and its exact slope.
#
# With u the conditional modes, -2 log-likelihood ≈ -2 log p(y | u) + u'u + log |Λ'Z'WZΛ + I|: what lme4's glmer (with
# nAGQ = 1) and ordinal's clmm maximize. If the fixed effects are integrated out like the random ones (a flat prior), the
# result is the restricted likelihood, whose variances are not too small with few people or items (glmmTMB's REML).


class LaplaceData(NamedTuple):
    """Ordered answers from 0, and the terms that are integrated out: random ones, the largest first, then the others."""

    categories: Ints
    terms: tuple[Term, ...]
    penalties: tuple[Floats, ...]
    """One number per column of each term: 1 for random effects, the precision of the prior for fixed ones."""
    n_random: int
    """How many of the terms are random."""
    x: Floats
    """Predictors whose coefficients are parameters; no columns if they are integrated out."""
    precisions: Floats
    """The precision of the prior of each coefficient; 0 is flat."""

    @property
    def n_gaps(self) -> int:
        """Return the number of free gaps between thresholds."""
        return int(self.categories.max()) - 1

    @property
    def random(self) -> tuple[Term, ...]:
        """Return the random terms."""
        return self.terms[: self.n_random]

    def split(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Return coefficients, log gaps and variance parameters."""
        p = self.x.shape[1]
        return parameters[:p], parameters[p : p + self.n_gaps], parameters[p + self.n_gaps :]


class Mode(NamedTuple):
    """The conditional modes on the unit scale, and the system at them."""

    units: tuple[Floats, ...]
    """(levels, columns) of each term."""
    rows: Rows
    eta: Floats
    held: Products
    system: System
    penalty: float


class Laplace(NamedTuple):
    """-2 log-likelihood and its slope by (β, log gaps, θ)."""

    deviance: float
    slope: Floats
    mode: Mode


def zero_units(data: LaplaceData) -> tuple[Floats, ...]:
    """Return modes of zero, where the first search starts."""
    return tuple(np.zeros((term.n_levels, term.width)) for term in data.terms)


def factors_of(variance: Floats, data: LaplaceData) -> list[Floats]:
    """Return the factor of every integrated term; that of fixed effects is the identity."""
    return [*factors_from_parameters(variance, data.random), *(np.eye(t.width) for t in data.terms[data.n_random :])]


def laplace(parameters: Floats, data: LaplaceData, start: Sequence[Floats]) -> Laplace:
    """Evaluate the deviance and its slope, searching the modes from `start`."""
    beta, log_gaps, variance = data.split(parameters)
    factors = factors_of(variance, data)
    search = _Search(data, factors, data.x @ beta, log_gaps)
    mode = search.modes(start)
    deviance = -2 * mode.rows.total + mode.penalty + mode.system.log_determinant
    deviance += float(data.precisions @ beta**2)
    return Laplace(float(deviance), _slope(parameters, search, mode), mode)


class _Search:
    """The search for conditional modes at given parameters."""

    def __init__(self, data: LaplaceData, factors: list[Floats], fixed: Floats, log_gaps: Floats) -> None:
        self.data, self.factors, self.fixed, self.log_gaps = data, factors, fixed, log_gaps

    def predictor(self, units: Sequence[Floats]) -> Floats:
        eta = self.fixed
        for term, factor, unit in zip(self.data.terms, self.factors, units, strict=True):
            eta = eta + spread_out(term, unit @ factor.T)
        return eta

    def penalty(self, units: Sequence[Floats]) -> float:
        return sum(float((unit**2 @ held).sum()) for unit, held in zip(units, self.data.penalties, strict=True))

    def system(self, weight: Floats) -> tuple[Products, System]:
        held = products(self.data.terms, weight)
        return held, solve_system(held, self.factors, self.data.terms, self.data.penalties)

    def solved(self, system: System, sides: Sequence[Floats]) -> tuple[Floats, ...]:
        """Return M times a right side with one part per term."""
        rest = np.concatenate([side.ravel() for side in sides[1:]]) if len(sides) > 1 else np.empty(0)
        upper, lower = solve(system, sides[0], rest)
        cuts = np.cumsum([term.size for term in self.data.terms[1:]])[:-1]
        parts = np.split(lower, cuts) if len(sides) > 1 else []
        shaped = (
            part.reshape(term.n_levels, term.width) for part, term in zip(parts, self.data.terms[1:], strict=True)
        )
        return upper, *shaped

    def modes(self, start: Sequence[Floats]) -> Mode:
        """Maximize the penalized likelihood with Newton steps, halved where they overshoot."""
        units = tuple(start)
        eta = self.predictor(units)
        rows, penalty = row_terms(self.data.categories, eta, self.log_gaps), self.penalty(units)
        for _ in range(100):
            held, system = self.system(rows.weight)
            sides = [
                sums(term, rows.slope) @ factor - unit * weight
                for term, factor, unit, weight in zip(
                    self.data.terms, self.factors, units, self.data.penalties, strict=True
                )
            ]
            steps = self.solved(system, sides)
            # Newton's method is quadratic: after a step of this size, the modes are exact to rounding.
            if max(float(np.abs(step).max()) for step in steps) < 1e-9:
                break
            size, goal = 1.0, -2 * rows.total + penalty
            while True:
                tried = tuple(unit + size * step for unit, step in zip(units, steps, strict=True))
                eta = self.predictor(tried)
                rows, penalty = row_terms(self.data.categories, eta, self.log_gaps), self.penalty(tried)
                if -2 * rows.total + penalty <= goal + 1e-9 * abs(goal) or size < 1e-6:
                    break
                size /= 2
            units = tried
        return Mode(units, rows, eta, held, system, penalty)


def _slope(parameters: Floats, search: _Search, mode: Mode) -> Floats:
    """Return the exact derivative; the determinant changes with the modes too, so both paths count."""
    data, factors, rows = search.data, search.factors, mode.rows
    leverage = leverages(mode.system, factors, data.terms)
    drift = leverage * rows.turn
    pulls = [sums(term, drift) for term in data.terms]
    moved = search.solved(mode.system, [pull @ factor for pull, factor in zip(pulls, factors, strict=True)])
    # How a change of a row's slope moves the determinant by way of the modes.
    by_mode = np.zeros(drift.size)
    for term, factor, unit in zip(data.terms, factors, moved, strict=True):
        by_mode += spread_out(term, unit @ factor.T)
    beta, log_gaps, _ = data.split(parameters)
    by_row = -2 * rows.slope + drift - rows.weight * by_mode
    parts = [data.x.T @ by_row + 2 * data.precisions * beta]
    if data.n_gaps:
        gaps = gap_terms(data.categories, mode.eta, log_gaps)
        parts.append(-2 * gaps.total + leverage @ gaps.weight + by_mode @ gaps.slope)
    determinant = determinant_slopes(mode.system, mode.held, factors, data.terms)
    for number, term in enumerate(data.random):
        rise = sums(term, by_row).T @ mode.units[number] + sums(term, rows.slope).T @ moved[number]
        parts.append((rise + determinant[number])[term.free])
    return np.concatenate(parts)


# What a logistic or ordinal mixed model says of people and items in general: shares, averaged over its random effects.
#
# The coefficients of such a model are about one person and one item. The more people and items differ, the nearer to a half
# is the share over all of them (Zeger, Liang & Albert 1988): it is what answers show, and what a claim about a share names.

_Z = np.linspace(-8.5, 8.5, 341)
"""A sum over even steps is exact to rounding for smooth functions; its error shows from SDs of about 25 on."""
_DENSITY = np.exp(-(_Z**2) / 2) / np.exp(-(_Z**2) / 2).sum()
_AT_ONCE = 4096
"""Rows whose sums are held in memory together."""


def row_variances(terms: Sequence[Term], covariances: Sequence[Floats]) -> Floats:
    """Return the variance that random effects add to each row's predictor."""
    parts = [
        np.einsum("ia,ab,ib->i", term.columns, covariance, term.columns)
        for term, covariance in zip(terms, covariances, strict=True)
    ]
    total: Floats = np.sum(parts, axis=0)
    return total


def marginal_shares(predictor: Floats, variances: Floats) -> Floats:
    """Return the share of yes in each row over all people and items, from its log-odds for average ones.

    >>> marginal_shares(np.array([0.0, 2.0, 2.0]), np.array([9.0, 0.0, 9.0])).round(3)
    array([0.5  , 0.881, 0.717])
    """
    pairs, rows = np.unique(np.column_stack([predictor, variances]), axis=0, return_inverse=True)
    shares = np.empty(len(pairs))
    for start in range(0, len(pairs), _AT_ONCE):
        mean, variance = pairs[start : start + _AT_ONCE].T
        shares[start : start + _AT_ONCE] = special.expit(mean[:, None] + np.sqrt(variance)[:, None] * _Z) @ _DENSITY
    by_row: Floats = shares[rows.ravel()]
    return by_row


def shift_to(share: float, shares_at: Callable[[float], float]) -> float:
    """Return the shift of log-odds at which a share that rises with it has a value."""
    reach = 1.0
    while not shares_at(-reach) < share < shares_at(reach):
        reach *= 2
    found: float = optimize.brentq(lambda shift: shares_at(shift) - share, -reach, reach, xtol=1e-12)
    return found
