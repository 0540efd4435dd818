"""Laplace likelihood of many one-factor logistic mixed models at once.

The formulas are those of `glmm_laplace`; with a single grouping factor, the q × q algebra reduces to one
number per group, so every array here has shape (data sets, groups, cells).
"""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.vectors import Bools, Floats
from understudy.deferred.scipy import special


class Batch(NamedTuple):
    """Counts of many data sets; `x` has one row per group and cell, groups first."""

    successes: Floats
    trials: Floats
    x: Floats
    times: Floats | None = None
    """How many equal groups each group of a data set represents; None if each is only itself."""

    def of(self, chosen: Bools) -> "Batch":
        """Return the chosen data sets."""
        times = None if self.times is None else self.times[chosen]
        return Batch(self.successes[chosen], self.trials[chosen], self.x, times)

    def over_groups(self, values: Floats) -> Floats:
        """Add up the values of all groups of each data set."""
        sums: Floats = values.sum(axis=1) if self.times is None else np.einsum("bg,bg->b", values, self.times)
        return sums


class BatchPoint(NamedTuple):
    """Slopes by (β, φ), conditional modes and expected curvature by φ; the deviance only on request."""

    slope: Floats
    modes: Floats
    expected: Floats
    deviance: Floats


class _Cells(NamedTuple):
    eta: Floats
    share: Floats
    residual: Floats
    weight: Floats


def batch_laplace(parameters: Floats, batch: Batch, start: Floats, *, with_deviance: bool = False) -> BatchPoint:
    """Evaluate each data set at its own (β, φ), one row each, searching modes from `start`."""
    p = batch.x.shape[1]
    shape = batch.successes.shape
    fixed = (parameters[:, :p] @ batch.x.T).reshape(shape)
    ratio = parameters[:, p:]
    modes = _find_modes(fixed, ratio, batch, start)
    cells = _cells(fixed, modes, batch)
    push, counts = cells.residual.sum(axis=-1), cells.weight.sum(axis=-1)
    shrink = 1 / (1 + ratio * counts)
    spread = (ratio * shrink)[..., None]
    # W' = n p (1 - p) (1 - 2 p): how the log-determinant changes with the linear predictor.
    drift = cells.weight * (1 - 2 * cells.share) * spread
    pull = drift.sum(axis=-1)
    by_cell = drift - cells.weight * (spread * pull[..., None]) - 2 * cells.residual
    if batch.times is not None:
        by_cell *= batch.times[..., None]
    by_beta = by_cell.reshape(len(parameters), -1) @ batch.x
    curved = counts * shrink
    by_ratio = batch.over_groups(curved - push**2 + pull * shrink * push)
    deviance = np.empty(0)
    if with_deviance:
        fit = batch.successes * cells.eta - batch.trials * _softplus(cells.eta)
        penalty = ratio * push**2 + np.log1p(ratio * counts)
        deviance = batch.over_groups(penalty - 2 * fit.sum(axis=-1))
    return BatchPoint(np.column_stack([by_beta, by_ratio]), modes, batch.over_groups(curved**2), deviance)


def _cells(fixed: Floats, modes: Floats, batch: Batch) -> _Cells:
    eta = fixed + modes[..., None]
    share = special.expit(eta)
    expected = batch.trials * share
    return _Cells(eta, share, batch.successes - expected, expected * (1 - share))


def _find_modes(fixed: Floats, ratio: Floats, batch: Batch, start: Floats) -> Floats:
    """Solve b = φ Σ (k - n p) in each group; the difference of both sides increases in b, so clipped Newton converges."""
    modes = np.where(ratio > 0, start, 0.0)
    for _ in range(60):
        cells = _cells(fixed, modes, batch)
        gap = modes - ratio * cells.residual.sum(axis=-1)
        step = np.clip(gap / (1 + ratio * cells.weight.sum(axis=-1)), -2, 2)
        modes = modes - step
        if np.abs(step).max(initial=0.0) < 1e-7:  # the remaining error is of the order of its square
            break
    return modes


def _softplus(values: Floats) -> Floats:
    # log(1 + e^x) without overflow for large x.
    return np.maximum(values, 0) + np.log1p(np.exp(-np.abs(values)))
