"""Logistic regression that detects perfectly separated data."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.solvable import dependent_effects
from understudy.analyses.kernels.vectors import Floats, Ints, matrix, vector
from understudy.deferred.scipy import optimize, special

_TOLERANCE = 1e-13
"""The change of the deviance that ends the steps."""
_MOST_STEPS = 100


class LogisticFit(NamedTuple):
    """Maximum-likelihood coefficients in log-odds; test them with `wald.log_odds_test`.

    If a combination of predictors separates yes from no, no finite maximum exists: `is_separated` is then
    true and every number is NaN.
    """

    coefficients: Floats
    standard_errors: Floats
    covariance: Floats
    log_likelihood: float
    n: int
    is_separated: bool


def fit_logistic(answers: npt.ArrayLike, predictors: npt.ArrayLike) -> LogisticFit:
    """Fit P(answer = 1) = 1 / (1 + exp(-x β)) as R's `glm(family = binomial)`.

    Parameters
    ----------
    predictors
        Design matrix with one row per answer, including a column of ones.

    Examples
    --------
    >>> x = np.column_stack([np.ones(6), [1, 2, 3, 4, 5, 6]])
    >>> fit = fit_logistic([0, 0, 1, 0, 1, 1], x)
    >>> fit.coefficients.round(3), round(fit.log_likelihood, 3)
    (array([-4.249,  1.214]), -2.478)
    """
    y, x = vector(answers, "answers"), matrix(predictors, "predictors")
    check_design(y, x)
    n, p = x.shape
    if is_separated(y, x):
        unknown = np.full(p, np.nan)
        return LogisticFit(unknown, unknown, np.full((p, p), np.nan), float("nan"), n, is_separated=True)
    coefficients, covariance = _maximum(y, x)
    likelihood = _log_likelihood(y, x @ coefficients)
    return LogisticFit(coefficients, np.sqrt(np.diag(covariance)), covariance, likelihood, n, is_separated=False)


def _maximum(y: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return coefficients and covariance by iteratively reweighted least squares, from the start that R's glm takes."""
    chances = (y + 0.5) / 2
    predicted = special.logit(chances)
    deviance = np.inf
    for _ in range(_MOST_STEPS):
        spread = chances * (1 - chances)
        root = np.sqrt(spread)
        working = predicted + (y - chances) / spread
        coefficients = np.linalg.pinv(x * root[:, None]) @ (root * working)
        predicted = x @ coefficients
        chances = special.expit(predicted)
        before, deviance = deviance, -2 * _log_likelihood(y, predicted)
        if abs(before - deviance) <= _TOLERANCE:
            break
    inverse = np.linalg.pinv(x * np.sqrt(chances * (1 - chances))[:, None])
    return coefficients, inverse @ inverse.T


def _log_likelihood(y: Floats, predicted: Floats) -> float:
    """Return the sum of log P of each answer, without taking the logarithm of a rounded probability."""
    return float(np.sum(special.log_expit(np.where(y == 1, predicted, -predicted))))


def check_design(y: Floats, x: Floats) -> None:
    """Reject answers other than 0 and 1, and predictors that do not fit them or are collinear."""
    if not np.isin(y, (0, 1)).all():
        raise ValueError("answers holds values other than 0 and 1.")
    if len(x) != y.size:
        raise ValueError(f"predictors has {len(x)} rows for {y.size} answers; the numbers must be equal.")
    rank = int(np.linalg.matrix_rank(x))
    if rank < x.shape[1]:
        raise ValueError(dependent_effects(x.shape[1], rank))


def is_separated(y: Floats, x: Floats) -> bool:
    """Return whether some direction of the predictors never contradicts an answer (complete or quasi separation).

    A linear programme (Konis 2007): maximize Σ s x β subject to s x β >= 0, with s = ±1 by answer.

    Examples
    --------
    >>> is_separated(np.array([0.0, 0, 1, 1]), np.column_stack([np.ones(4), [1, 2, 3, 4]]))
    True
    """
    signed = np.unique(x * (2 * y - 1)[:, None], axis=0)
    # Scaling the predictors keeps the tolerance below meaningful for any unit.
    scale = np.abs(signed).max(axis=0)
    rows = signed / np.where(scale > 0, scale, 1)
    # Bounded by ±1, because any separating direction could be scaled without end.
    result = optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    return bool(result.status == 0 and float(result.fun or 0.0) < -1e-7)


def is_ordinal_separated(categories: Ints, x: Floats) -> bool:
    """Return whether some direction of the predictors never contradicts an ordered answer; `x` starts with ones.

    In a cumulative model, an answer lies below the threshold above it and above the threshold below it. Each of these
    is a yes-or-no answer with the thresholds as predictors, so the same linear programme decides.

    Examples
    --------
    >>> is_ordinal_separated(np.array([2, 2, 0, 1, 2]), np.column_stack([np.ones(5), [1, 1, 0, 0, 0]]))
    True
    >>> is_ordinal_separated(np.array([2, 1, 0, 1, 2]), np.column_stack([np.ones(5), [1, 1, 0, 0, 0]]))
    False
    """
    thresholds = np.eye(int(categories.max()))
    low, high = categories > 0, categories < categories.max()
    # The thresholds take the place of the intercept.
    above = np.hstack([-thresholds[categories[low] - 1], x[low, 1:]])
    below = np.hstack([-thresholds[categories[high]], x[high, 1:]])
    answers = np.concatenate([np.ones(len(above)), np.zeros(len(below))])
    return is_separated(answers, np.vstack([above, below]))
