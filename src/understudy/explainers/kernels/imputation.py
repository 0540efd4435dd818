"""Imputation: how likely each value of a variable is, given the others, by multinomial logistic regression."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import optimize, special

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Imputer(NamedTuple):
    """One regression for each variable, on the other variables' values."""

    n_values: tuple[int, ...]
    weights: tuple[Floats, ...]
    """One row for each value of every variable (zero for the variable itself), and a last row for the intercept."""


def fit_imputer(rows: Floats, n_values: Sequence[int], *, inverse_penalty: float = 1000.0) -> Imputer:
    """Fit every variable on all the others, without interactions.

    Parameters
    ----------
    rows
        Codes, one column for each variable.
    n_values
        How many values each variable has.
    inverse_penalty
        C: half the squared weights count against C times the log-likelihood; intercepts are free.
    """
    codes = rows.astype(np.int64)
    return Imputer(
        tuple(n_values),
        tuple(_fitted(codes, list(n_values), variable, inverse_penalty) for variable in range(len(n_values))),
    )


def value_chances(imputer: Imputer, row: Floats, variable: int) -> Floats:
    """Return the probability of each value of a variable, given the rest of the row."""
    weights = imputer.weights[variable]
    picked = [int(start + code) for start, code in zip(_starts(imputer.n_values), row, strict=True)]
    del picked[variable]
    scores = weights[picked].sum(axis=0) + weights[-1]
    return np.asarray(np.exp(scores - special.logsumexp(scores)), dtype=np.float64)


def _starts(n_values: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(n_values)[:-1]]).astype(np.int64)


def _fitted(codes: Ints, n_values: list[int], variable: int, inverse_penalty: float) -> Floats:
    """Minimise the penalised loss; equal rows enter once, weighted by their number."""
    # A category table has few distinct rows, so counting copies makes the fit many times faster.
    starts, n_columns, n_classes = _starts(n_values), int(sum(n_values)), n_values[variable]
    distinct, n_copies = np.unique(codes, axis=0, return_counts=True)
    others = [j for j in range(len(n_values)) if j != variable]
    design = np.zeros((len(distinct), n_columns + 1))
    design[np.arange(len(distinct))[:, None], (distinct + starts)[:, others]] = 1.0
    design[:, -1] = 1.0
    target = np.eye(n_classes)[distinct[:, variable]]
    counts = n_copies.astype(np.float64)[:, None]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(n_columns + 1, n_classes)
        scores = design @ weights
        log_chance = scores - special.logsumexp(scores, axis=1, keepdims=True)
        slope = inverse_penalty * design.T @ (counts * (np.exp(log_chance) - target))
        # The last row is the intercept, which is not penalised.
        slope[:-1] += weights[:-1]
        value = -inverse_penalty * float((counts * target * log_chance).sum()) + 0.5 * float((weights[:-1] ** 2).sum())
        return value, slope.ravel()

    solution = optimize.minimize(
        loss, np.zeros((n_columns + 1) * n_classes), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return np.asarray(solution.x, dtype=np.float64).reshape(n_columns + 1, n_classes)
