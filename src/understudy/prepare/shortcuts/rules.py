"""Rules: simple ways to guess yes or no from numbers, each scored on items it was not fitted to.

Every function takes many columns of targets at once, so that shuffled targets cost little extra.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Marks = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Cut(NamedTuple):
    """A threshold, and whether values at or above it mean yes."""

    at: float
    is_yes_above: bool


def left_out_by_cut(values: Floats, targets: Marks) -> Floats:
    """Return, for each column of targets, how often the best threshold on the other items is right on the one left out."""
    cuts = np.unique(values)[1:]
    if cuts.size == 0:
        return left_out_by_majority(targets)
    above = values[:, None] >= cuts
    says_yes = np.concatenate([above, ~above], axis=1)
    is_right = says_yes[:, :, None] == targets[:, None, :]
    # Each item's own result is subtracted, so that its threshold is chosen without it.
    others = is_right.sum(axis=0)[None] - is_right
    best = others.argmax(axis=1)
    chosen: Floats = np.take_along_axis(is_right, best[:, None, :], axis=1)[:, 0].mean(axis=0)
    return chosen


def left_out_by_majority(targets: Marks) -> Floats:
    """Return how often the majority answer of the other items is right on the one left out; a tie is half right."""
    n_yes = targets.sum(axis=0)[None] - targets
    n_others = len(targets) - 1
    share = np.where(2 * n_yes == n_others, 0.5, (2 * n_yes > n_others) == targets)
    result: Floats = share.mean(axis=0)
    return result


def left_out_by_value(values: Sequence[str], targets: Marks) -> Floats:
    """Return how often the majority of the other items with the same value is right on the one left out.

    A tie is half right, and so is an item without any other of its value.
    """
    same = np.equal.outer(np.asarray(values), np.asarray(values))
    np.fill_diagonal(same, False)
    n_others = same.sum(axis=1)[:, None]
    n_yes = same.astype(np.float64) @ targets
    share = np.where(2 * n_yes == n_others, 0.5, (2 * n_yes > n_others) == targets)
    result: Floats = share.mean(axis=0)
    return result


def left_out_by_weights(columns: Floats, targets: Marks, *, ridge: float = 1.0) -> Floats:
    """Return how often a weighted sum of all columns, fitted to the other items, is right on the one left out."""
    spread = columns.std(axis=0)
    standard = (columns[:, spread > 0] - columns[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    design = np.column_stack([np.ones(len(columns)), standard])
    penalty = np.diag([0.0] + [ridge] * standard.shape[1])
    hat = design @ np.linalg.solve(design.T @ design + penalty, design.T)
    wanted = np.where(targets, 1.0, -1.0)
    # The prediction for an item that was left out follows from its leverage alone.
    leverage = np.diag(hat)[:, None]
    predicted = (hat @ wanted - leverage * wanted) / (1 - leverage)
    result: Floats = ((predicted > 0) == targets).mean(axis=0)
    return result


def best_cut(values: Floats, target: Marks) -> Cut:
    """Return the threshold that is right most often on all items."""
    cuts = [Cut(float(at), is_above) for at in np.unique(values)[1:] for is_above in (True, False)]
    return max(cuts, key=lambda cut: int(((values >= cut.at) == (target == cut.is_yes_above)).sum()))
