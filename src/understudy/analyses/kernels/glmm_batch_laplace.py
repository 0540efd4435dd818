"""Laplace likelihood of many one-factor logistic mixed models at once.

The formulas are those of `glmm_laplace`; with a single grouping factor, the q × q algebra reduces to one
number per group, so every array here has shape (data sets, groups, cells).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Bools, Floats
from understudy.deferred.scipy import special


class Batch(NamedTuple):
    """Counts of many data sets; `x` has one row per group and cell, groups first."""

    successes: Floats
    trials: Floats
    x: Floats
    copies: Floats
    """How many groups of each data set are like this one."""

    def of(self, chosen: Bools | npt.NDArray[np.intp] | slice) -> "Batch":
        """Return the chosen data sets."""
        return Batch(self.successes[chosen], self.trials[chosen], self.x, self.copies[chosen])


class BatchPoint(NamedTuple):
    """The deviance of each data set with its slopes and curvature by (β, φ), and the conditional modes."""

    deviance: Floats
    slope: Floats
    hessian: Floats
    expected: Floats
    """The expected curvature by φ, which is never negative."""
    modes: Floats
    spread: Floats
    weight: Floats
    rise: Floats
    """With `spread` and `weight`: how the modes move with (β, φ)."""

    def of(self, chosen: Bools) -> "BatchPoint":
        """Return the chosen data sets."""
        return BatchPoint(*(array[chosen] for array in self))

    def predicted_modes(self, moved: Floats, x: Floats) -> Floats:
        """Return the modes after a change of (β, φ), which they follow almost straight."""
        shift = (moved[:, :-1] @ x.T).reshape(self.weight.shape)
        modes: Floats = self.modes - self.spread * (self.weight * shift).sum(axis=-1) + self.rise * moved[:, -1:]
        return modes

    def replace_rows(self, chosen: Bools, rows: "BatchPoint") -> None:
        """Put other rows in place of the chosen data sets."""
        for array, new in zip(self, rows, strict=True):
            array[chosen] = new


class _Cells(NamedTuple):
    eta: Floats
    share: Floats
    residual: Floats
    weight: Floats


class _Groups(NamedTuple):
    """Sums over the cells of each group, in the order of the derivatives of the log-likelihood by a group's intercept."""

    ratio: Floats
    push: Floats
    counts: Floats
    turn: Floats
    bend: Floats
    shrink: Floats
    spread: Floats


def batch_laplace(parameters: Floats, batch: Batch, start: Floats) -> BatchPoint:
    """Evaluate each data set at its own (β, φ), one row each, searching modes from `start`."""
    p = batch.x.shape[1]
    fixed = (parameters[:, :p] @ batch.x.T).reshape(batch.successes.shape)
    ratio = parameters[:, p:]
    modes = _find_modes(fixed, ratio, batch, start)
    cells = _cells(fixed, modes, batch)
    # W' = n p (1 - p) (1 - 2 p) and W'': how the weights change with the linear predictor.
    turn = cells.weight * (1 - 2 * cells.share)
    bend = cells.weight * (1 - 6 * cells.share * (1 - cells.share))
    push, counts = cells.residual.sum(axis=-1), cells.weight.sum(axis=-1)
    shrink = 1 / (1 + ratio * counts)
    sums = _Groups(ratio, push, counts, turn.sum(axis=-1), bend.sum(axis=-1), shrink, ratio * shrink)
    pull = sums.spread * sums.turn
    by_cell = sums.spread[..., None] * (turn - pull[..., None] * cells.weight) - 2 * cells.residual
    curved = counts * shrink
    copies = batch.copies
    by_ratio = ((curved - push**2 + pull * shrink * push) * copies).sum(axis=1)
    fit = batch.successes * cells.eta - batch.trials * _softplus(cells.eta)
    penalty = ratio * push**2 + np.log1p(ratio * counts)
    return BatchPoint(
        deviance=((penalty - 2 * fit.sum(axis=-1)) * copies).sum(axis=1),
        slope=np.column_stack([(by_cell * copies[..., None]).reshape(len(parameters), -1) @ batch.x, by_ratio]),
        hessian=_curvature(sums, _Weights(cells.weight, turn, bend), batch),
        expected=(curved**2 * copies).sum(axis=1),
        modes=modes,
        spread=sums.spread,
        weight=cells.weight,
        rise=push * shrink,
    )


class _Weights(NamedTuple):
    """The weight of each cell and its first two derivatives."""

    weight: Floats
    turn: Floats
    bend: Floats


def _curvature(sums: _Groups, cells: _Weights, batch: Batch) -> Floats:
    """Return exact second derivatives of the deviance.

    The chain rule through the modes: a group's intercept falls by spread · Σ w x with β, and rises by shrink · Σ (k - n p)
    with φ. Collected by Σ w x, Σ w' x and Σ w'' x of a group, every derivative is a product with the predictors.
    """
    ratio, push, counts, turn, bend, shrink, spread = sums
    copies, x = batch.copies, batch.x
    size, p = len(counts), x.shape[1]
    pull, pushed = spread * turn, shrink * push
    hessian = np.empty((size, p + 1, p + 1))
    hessian[:, :p, :p] = _by_coefficients(sums, cells, batch)
    # The slope by φ is Σ counts shrink - push² + pull shrink push; these are its derivatives by the sums of a group.
    by_shrink, by_push = counts + pull * push, pull * shrink - 2 * push
    by_turn = spread * pushed
    by_counts = shrink - shrink**2 * ratio * by_shrink - spread**2 * turn * pushed
    by_weight = -shrink * by_push - by_counts * pull - by_turn * spread * bend
    across = by_counts[..., None] * cells.turn + by_turn[..., None] * cells.bend + by_weight[..., None] * cells.weight
    hessian[:, :p, p] = hessian[:, p, :p] = (across * copies[..., None]).reshape(size, -1) @ x
    explicit = shrink**2 * (turn * pushed - counts * by_shrink)
    implicit = pushed * (by_counts * turn + by_turn * bend - counts * by_push)
    hessian[:, p, p] = ((implicit + explicit) * copies).sum(axis=1)
    return hessian


def _by_coefficients(sums: _Groups, cells: _Weights, batch: Batch) -> Floats:
    """Return the second derivatives by β."""
    _, _, _, turn, bend, _, spread = sums
    copies, x = batch.copies, batch.x
    p = x.shape[1]
    main = 2 * cells.weight + spread[..., None] * (cells.bend - (spread * turn)[..., None] * cells.turn)
    of_weights = spread * (spread**2 * (bend - 2 * spread * turn**2) - 2)
    of_both, of_turns = 2 * spread**3 * turn, -(spread**2)
    if cells.weight.shape[-1] == 1:
        # With one cell per group, the sums of a group are its cell, and its products join the others.
        weight, turned, bent = (part[..., 0] for part in cells)
        crossed = of_weights * weight**2 + 2 * weight * (of_both * turned + of_turns * bent) + of_turns * turned**2
        return _with_products((main + crossed[..., None]) * copies[..., None], x)
    found = _with_products(main * copies[..., None], x)
    by_group = x.reshape(*cells.weight.shape[1:], p)
    columns = [[(part * by_group[..., j]).sum(axis=-1) for part in cells] for j in range(p)]
    for j, (weight, turned, bent) in enumerate(columns):
        first = of_weights * weight + of_both * turned + of_turns * bent
        second, third = of_both * weight + of_turns * turned, of_turns * weight
        for k, (other, other_turned, other_bent) in enumerate(columns):
            found[:, k, j] += ((other * first + other_turned * second + other_bent * third) * copies).sum(axis=1)
    return found


def _with_products(weights: Floats, x: Floats) -> Floats:
    """Return Σ weight x x' over all cells."""
    p = x.shape[1]
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), p * p)
    found: Floats = (weights.reshape(len(weights), -1) @ products).reshape(-1, p, p)
    return found


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
        if np.abs(step).max(initial=0.0) < 1e-5:  # the remaining error is of the order of its square
            break
    return modes


def _softplus(values: Floats) -> Floats:
    # log(1 + e^x) without overflow for large x.
    return np.maximum(values, 0) + np.log1p(np.exp(-np.abs(values)))
