"""Local linear fit: a weighted ridge regression on few columns, chosen and solved on normal equations."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Selection = Literal["forward", "highest_weights"]

_FLAT = 1e-10
"""A column whose remaining variance is below this share explains nothing more."""


class LocalFit(NamedTuple):
    """The chosen columns in the order of their choice, their weights, and the intercept."""

    chosen: npt.NDArray[np.int64]
    weights: Floats
    intercept: float


class _Equations(NamedTuple):
    gram: Floats
    moments: Floats
    means: Floats
    mean: float


def local_linear(
    presence: Floats, values: Floats, nearness: Floats, *, n_columns: int, ridge: float, selection: Selection
) -> LocalFit:
    """Fit values by few columns of presence, rows weighted by nearness, with an intercept.

    Parameters
    ----------
    presence
        One row for each perturbed input, one column for each interpretable feature.
    values
        The model's output for each row.
    nearness
        The weight of each row.
    n_columns
        How many columns may be chosen.
    ridge
        The penalty on squared weights in the last fit; the intercept has none.
    selection
        forward: the column that raises R² most, again and again; highest_weights: those that weigh most in a fit
        of all of them with a penalty of 0.01. Ribeiro, Singh and Guestrin (2016), as the library lime does it.

    Examples
    --------
    >>> fit = local_linear(np.eye(3), np.array([2.0, 0.0, 0.0]), np.ones(3), n_columns=1, ridge=0.0,
    ...                    selection="forward")
    >>> int(fit.chosen[0]), round(float(fit.weights[0]), 6)
    (0, 2.0)
    """
    equations = _equations(presence, values, nearness)
    n_chosen = min(n_columns, presence.shape[1])
    if selection == "forward":
        chosen = _forward(equations, n_chosen)
    else:
        every = _ridge_weights(equations, np.arange(presence.shape[1]), 0.01)
        chosen = np.argsort(-np.abs(every), kind="stable")[:n_chosen]
    weights = _ridge_weights(equations, chosen, ridge)
    return LocalFit(chosen, weights, float(equations.mean - equations.means[chosen] @ weights))


def _equations(presence: Floats, values: Floats, nearness: Floats) -> _Equations:
    total = nearness.sum()
    means, mean = nearness @ presence / total, float(nearness @ values / total)
    centred = presence - means
    weighted = centred * nearness[:, None]
    return _Equations(weighted.T @ centred, weighted.T @ (values - mean), means, mean)


def _forward(equations: _Equations, n_chosen: int) -> npt.NDArray[np.int64]:
    """Sweep each chosen column out of the others, so that the gain of every column is known at once."""
    gram, moments = equations.gram.copy(), equations.moments.copy()
    floor = _FLAT * np.maximum(np.diag(gram), 1.0)
    chosen: list[int] = []
    for _ in range(n_chosen):
        spread = np.diag(gram)
        gains = np.divide(moments**2, spread, out=np.zeros_like(moments), where=spread > floor)
        # Below every possible gain, so that no column is chosen twice.
        gains[chosen] = -1.0
        best = int(np.argmax(gains))
        chosen.append(best)
        if spread[best] > floor[best]:
            share = gram[best] / spread[best]
            moments = moments - share * moments[best]
            gram = gram - np.outer(gram[best], share)
    return np.array(chosen, dtype=np.int64)


def _ridge_weights(equations: _Equations, chosen: npt.NDArray[np.int64], ridge: float) -> Floats:
    part = equations.gram[np.ix_(chosen, chosen)]
    penalised = part + ridge * np.eye(len(chosen))
    # Least squares, because a column that never varies leaves an unpenalised system without a unique answer.
    weights = np.linalg.lstsq(penalised, equations.moments[chosen], rcond=None)[0]
    return np.asarray(weights, dtype=np.float64)
