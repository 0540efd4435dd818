"""Search for the variance parameters of a mixed model, with exact slopes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import optimize

Objective = Callable[[Floats], tuple[float, Floats]]
_MOST_STEPS = 30
_SMALLEST_SHARE = 1e-3
"""A step that has to be cut to less shows that the curvature it came from is wrong."""


class Minimum(NamedTuple):
    """Where the search ended, and whether the slope is zero there."""

    parameters: Floats
    is_converged: bool


def minimum(objective: Objective, start: Floats, *, tolerance: float = 1e-5, curved: Floats | None = None) -> Minimum:
    """Return the lowest point near `start`.

    The entries of a triangular factor need no bounds: a variance of zero is a point where the slope vanishes, because
    the deviance does not depend on the sign of a column. The slope vanishes there even where a larger variance fits
    better, so the search is repeated from next to every zero that is not the lowest point. With `curved`, second
    derivatives that are nearly right, a few steps are enough.
    """
    best = _found(objective, start, tolerance, curved)
    for _ in range(start.size):
        next_to = _next_to_zeros(objective, best.parameters)
        if next_to is None:
            break
        best = _found(objective, next_to, tolerance, curved)
    return best


def lowest(objective: Objective, starts: Sequence[Floats], *, tolerance: float = 1e-5) -> Minimum:
    """Return the lowest of the points that searches from several starts end at."""
    ends = [minimum(objective, start, tolerance=tolerance) for start in starts]
    # A search that has not ended counts only if none has.
    return (
        ends[0] if len(ends) == 1 else min(ends, key=lambda end: (not end.is_converged, objective(end.parameters)[0]))
    )


def _found(objective: Objective, start: Floats, tolerance: float, curved: Floats | None) -> Minimum:
    descended = None if curved is None else _descended(objective, start, tolerance, curved)
    return descended or _searched(objective, start, tolerance)


def _descended(objective: Objective, start: Floats, tolerance: float, curved: Floats) -> Minimum | None:
    """Take quasi-Newton steps (BFGS) from curvature that is nearly right; None if they lead nowhere."""
    values, vectors = np.linalg.eigh(curved)
    sizes = np.maximum(np.abs(values), 1e-4 * np.abs(values).max())
    inverse = (vectors / sizes) @ vectors.T
    best, (value, slope) = start, objective(start)
    for _ in range(_MOST_STEPS):
        step = -inverse @ slope
        if np.abs(step).max() < 1e-7 and np.abs(slope).max() < tolerance:
            return Minimum(best, is_converged=True)
        size, slack = 1.0, 1e-12 * abs(value)
        next_value, next_slope = objective(best + step)
        while not next_value <= value + 1e-4 * size * float(slope @ step) + slack:
            size /= 4
            if size < _SMALLEST_SHARE:
                return None
            next_value, next_slope = objective(best + size * step)
        move, turn = size * step, next_slope - slope
        if (bend := float(move @ turn)) > 0:
            across = np.eye(start.size) - np.outer(move, turn) / bend
            inverse = across @ inverse @ across.T + np.outer(move, move) / bend
        best, value, slope = best + move, next_value, next_slope
    return None


def _next_to_zeros(objective: Objective, parameters: Floats) -> Floats | None:
    """Return a lower point next to a parameter of zero; None if there is none."""
    zeros = np.flatnonzero(np.abs(parameters) < 1e-3)
    if not zeros.size:
        return None
    lowest = objective(parameters)[0] - 1e-7
    for number in zeros:
        for size in (0.05, 0.3):
            moved = parameters.copy()
            moved[number] = size
            if objective(moved)[0] < lowest:
                return moved
    return None


def _searched(objective: Objective, start: Floats, tolerance: float) -> Minimum:
    found = optimize.minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-13, "gtol": tolerance, "maxiter": 500, "maxcor": 20},
    )
    best = np.asarray(found.x, dtype=np.float64)
    value, slope = objective(best)
    if np.abs(slope).max() > tolerance / 10:
        best, slope = _sharpened(objective, best, value, slope)
    return Minimum(best, bool(np.abs(slope).max() < 1e-2))


def _sharpened(objective: Objective, best: Floats, value: float, slope: Floats) -> tuple[Floats, Floats]:
    """Take up to four Newton steps, with the curvature at the first point: the others are next to it."""
    values, vectors = np.linalg.eigh(rough_curvature(objective, best))
    if not np.abs(values).max() > 0:
        return best, slope
    # A saddle or a flat direction is left along its slope, never uphill.
    sizes = np.maximum(np.abs(values), 1e-6 * np.abs(values).max())
    for _ in range(4):
        step = vectors @ ((vectors.T @ slope) / sizes)
        next_value, next_slope = objective(best - step)
        if not next_value <= value + 1e-12 * abs(value):
            break
        best, value, slope = best - step, next_value, next_slope
        if np.abs(slope).max() < 1e-8:
            break
    return best, slope


def rough_curvature(objective: Objective, parameters: Floats) -> Floats:
    """Return second derivatives by differences of the slope at two points: near enough for a direction."""
    hessian = np.empty((parameters.size, parameters.size))
    for j in range(parameters.size):
        step = np.zeros(parameters.size)
        step[j] = 1e-4 * max(1.0, abs(parameters[j]))
        hessian[j] = (objective(parameters + step)[1] - objective(parameters - step)[1]) / (2 * step[j])
    symmetric: Floats = (hessian + hessian.T) / 2
    return symmetric


def curvature(objective: Objective, parameters: Floats, width: float = 1e-3) -> Floats:
    """Return second derivatives by differences of the slope at four points, whose error falls with the fourth power."""
    hessian = np.empty((parameters.size, parameters.size))
    for j in range(parameters.size):
        step = np.zeros(parameters.size)
        step[j] = width * max(1.0, abs(parameters[j]))
        near = objective(parameters + step)[1] - objective(parameters - step)[1]
        far = objective(parameters + 2 * step)[1] - objective(parameters - 2 * step)[1]
        hessian[j] = (8 * near - far) / (12 * step[j])
    # Finite differences are slightly asymmetric; the true matrix is not.
    symmetric: Floats = (hessian + hessian.T) / 2
    return symmetric
