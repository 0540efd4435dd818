"""Laplace likelihood of mixed models for yes/no and ordered answers, and its exact slope.

With u the conditional modes, -2 log-likelihood ≈ -2 log p(y | u) + u'u + log |Λ'Z'WZΛ + I|: what lme4's glmer (with
nAGQ = 1) and ordinal's clmm maximize. If the fixed effects are integrated out like the random ones (a flat prior), the
result is the restricted likelihood, whose variances are not too small with few people or items (glmmTMB's REML).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.cumulative import Rows, gap_terms, row_terms
from understudy.analyses.kernels.mixed_system import (
    Products,
    System,
    determinant_slopes,
    leverages,
    products,
    solve,
    solve_system,
)
from understudy.analyses.kernels.mixed_terms import Term, factors_from_parameters, spread_out, sums
from understudy.analyses.kernels.vectors import Floats, Ints


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
