"""Many logistic regressions on one predictor at once, for bootstraps of a curve."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.vectors import Bools, Floats
from understudy.deferred.scipy import special

# Steeper curves than this have no finite maximum: yes and no are separated.
_RUNAWAY = 30.0


class LogisticCurves(NamedTuple):
    """Intercepts and slopes in log-odds, one of each per data set.

    NaN if the answers are separated or the predictor does not vary.
    """

    intercepts: Floats
    slopes: Floats

    def rise(self, low: float, high: float) -> Floats:
        """Return how much the chance of yes grows from one value of the predictor to another."""
        at = [special.expit(self.intercepts + self.slopes * value) for value in (low, high)]
        grown: Floats = at[1] - at[0]
        return grown


def fit_logistic_curves(successes: Floats, trials: Floats, values: Floats) -> LogisticCurves:
    """Fit `cbind(k, n - k) ~ x` as R's glm, for counts of shape (data sets, values of x).

    Examples
    --------
    >>> curves = fit_logistic_curves(np.array([[1.0, 2, 4]]), np.full((1, 3), 5.0), np.array([1.0, 2, 3]))
    >>> curves.slopes.round(3), curves.rise(2, 3).round(3)
    (array([1.396]), array([0.316]))
    """
    # Centring makes intercept and slope nearly uncorrelated, so that Newton converges in few steps.
    centre = float(np.average(values, weights=trials.sum(axis=0)))
    x = values - centre
    totals = successes.sum(axis=1), trials.sum(axis=1)
    # Without yes and no, or with one value of x, there is no curve to fit.
    has_both = (totals[0] > 0) & (totals[0] < totals[1]) & ((trials > 0).sum(axis=1) > 1)
    beta = np.column_stack([special.logit((totals[0] + 0.5) / (totals[1] + 1)), np.zeros(len(successes))])
    active, is_done = has_both.copy(), np.zeros(len(successes), dtype=np.bool_)
    for _ in range(50):
        if not active.any():
            break
        step = _newton(beta[active], successes[active], trials[active], x)
        beta[active] += step
        has_arrived = np.abs(step).max(axis=1) < 1e-10
        is_lost = np.abs(beta[active]).max(axis=1) > _RUNAWAY
        is_done[active] = has_arrived & ~is_lost
        active[active] = ~has_arrived & ~is_lost
    return _curves(beta, is_done, centre)


def _newton(beta: Floats, successes: Floats, trials: Floats, x: Floats) -> Floats:
    share = special.expit(beta[:, :1] + beta[:, 1:] * x)
    residual, weight = successes - trials * share, trials * share * (1 - share)
    a, b, c = weight.sum(axis=1), weight @ x, weight @ x**2
    first, second = residual.sum(axis=1), residual @ x
    # The inverse of a 2 × 2 matrix written out; the floor avoids dividing by zero.
    determinant = np.maximum(a * c - b**2, 1e-300)
    step = np.column_stack([c * first - b * second, a * second - b * first]) / determinant[:, None]
    clipped: Floats = np.clip(step, -2, 2)
    return clipped


def _curves(beta: Floats, is_done: Bools, centre: float) -> LogisticCurves:
    coefficients = np.where(is_done[:, None], beta, np.nan)
    return LogisticCurves(coefficients[:, 0] - coefficients[:, 1] * centre, coefficients[:, 1])
