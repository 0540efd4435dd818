"""Laplace likelihood of a logistic mixed model with crossed random intercepts, and its slope.

With b the conditional modes, -2 log-likelihood ≈ -2 log p(y | b) + b'Φ⁻¹b + log |I + Φ Z'WZ|: what lme4's glmer
maximizes with nAGQ = 1 (Bates et al. 2015), over variances φ in place of standard deviations.
"""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.bordered import Bordered, factored, level_blocks
from understudy.analyses.kernels.crossed import Crossed, factor_sums, level_sums
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import special


class BinaryData(NamedTuple):
    """Answers counted over rows with the same predictors and groups: the sufficient statistics."""

    successes: Floats
    trials: Floats
    x: Floats
    design: Crossed


class Laplace(NamedTuple):
    """-2 log-likelihood, its slope by (β, φ), and the conditional modes on the unit scale."""

    deviance: float
    slope: Floats
    unit_modes: Floats


class _Mode(NamedTuple):
    unit: Floats
    eta: Floats
    system: Bordered


def counted(y: Floats, x: Floats, design: Crossed) -> BinaryData:
    """Count successes and trials over equal rows."""
    # Equal rows differ only in their answers, so counts are enough.
    keys = np.column_stack([design.codes.astype(np.float64), x])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    successes = np.bincount(inverse, weights=y, minlength=first.size).astype(np.float64)
    trials = np.bincount(inverse, minlength=first.size).astype(np.float64)
    return BinaryData(successes, trials, x[first], Crossed(design.codes[first], design.factors))


def laplace(parameters: Floats, data: BinaryData, start: Floats) -> Laplace:
    """Evaluate the Laplace deviance at (β, φ), searching the modes from `start`."""
    p = data.x.shape[1]
    beta, ratios = parameters[:p], parameters[p:]
    scale = np.sqrt(ratios)[data.design.factors]
    mode = _find_mode(data.x @ beta, scale, data, start)
    share = special.expit(mode.eta)
    residual = data.successes - data.trials * share
    fit = data.successes @ mode.eta - data.trials @ np.logaddexp(0, mode.eta)
    deviance = -2 * float(fit) + float(mode.unit @ mode.unit) + mode.system.log_determinant()
    return Laplace(deviance, _slope(data, mode, residual), mode.unit)


def _slope(data: BinaryData, mode: _Mode, residual: Floats) -> Floats:
    """Return the exact derivative; the log-determinant changes with the modes too, so both paths count."""
    design, system = data.design, mode.system
    share = special.expit(mode.eta)
    weight = data.trials * share * (1 - share)
    # The diagonal of Z (Φ⁻¹ + Z'WZ)⁻¹ Z'.
    drift = weight * (1 - 2 * share) * system.spread().by_row(design)
    pull = level_sums(design, drift[:, None])[:, 0]
    moved = system.scale * system.solve(system.scale * pull)
    by_row = weight * moved[design.codes].sum(axis=1)
    by_beta = data.x.T @ (drift - by_row - 2 * residual)
    push = level_sums(design, residual[:, None])[:, 0]
    curved = system.blocks.diagonal() - system.shrinkage()
    by_level = curved - push**2 + (pull - level_sums(design, by_row[:, None])[:, 0]) * push
    return np.concatenate([by_beta, factor_sums(design, by_level)])


def _find_mode(fixed: Floats, scale: Floats, data: BinaryData, start: Floats) -> _Mode:
    """Maximize the penalized likelihood over unit modes with Newton steps, halved where they overshoot."""
    # A level without variance has a mode of zero, whatever the start.
    unit = np.where(scale > 0, start, 0.0)
    penalty, eta = _penalty(unit, fixed, scale, data)
    for _ in range(100):
        share = special.expit(eta)
        system = factored(level_blocks(data.design, data.trials * share * (1 - share)), scale)
        push = level_sums(data.design, (data.successes - data.trials * share)[:, None])[:, 0]
        step = system.solve(scale * push - unit)
        if np.abs(step).max() < 1e-10:
            return _Mode(unit, eta, system)
        size = 1.0
        candidate, candidate_eta = _penalty(unit + step, fixed, scale, data)
        while candidate > penalty + 1e-12 * abs(penalty) and size > 1e-6:
            size /= 2
            candidate, candidate_eta = _penalty(unit + size * step, fixed, scale, data)
        unit, penalty, eta = unit + size * step, candidate, candidate_eta
    return _Mode(unit, eta, system)


def _penalty(unit: Floats, fixed: Floats, scale: Floats, data: BinaryData) -> tuple[float, Floats]:
    eta = fixed + (scale * unit)[data.design.codes].sum(axis=1)
    fit = data.successes @ eta - data.trials @ np.logaddexp(0, eta)
    return float(unit @ unit / 2 - fit), eta
