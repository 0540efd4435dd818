"""The system of a mixed model, and the search for its variance parameters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from understudy.deferred.scipy import linalg, optimize
from understudy.statistics.arrays import Floats, Ints
from understudy.statistics.mixed_terms import Term, cross_products, own_products, shared_cells

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


# The linear system of a mixed model, solved by taking out the largest term first.
#
# Levels of one term never share a row, so the blocks of the largest term are solved on their own, and only the other
# terms and the fixed effects are left as a dense matrix (a Schur complement): a thousand people cost a thousand small
# blocks, not a matrix with a thousand rows.


class Products(NamedTuple):
    """Z'WZ in three parts: the blocks of the first term, the first by the rest, and the rest."""

    own: Floats
    across: Floats
    """(levels, columns, size of the rest)."""
    rest: Floats


@dataclass(frozen=True)
class System:
    """A = Λ'Z'WZΛ + penalty, inverted: M = A⁻¹ by parts, and what its derivatives need."""

    own_inverse: Floats
    reduced: Floats
    """A_11⁻¹ A_12."""
    across_scaled: Floats
    """Z_1'WZ_2 Λ_2."""
    log_determinant: float
    rest_root: Floats
    """The Cholesky factor of the Schur complement."""

    @cached_property
    def rest_inverse(self) -> Floats:
        """The part of M of all terms but the first; a search for modes asks for its products with vectors only."""
        if not self.rest_root.size:
            return self.rest_root
        half = linalg.solve_triangular(self.rest_root, np.eye(len(self.rest_root)), lower=True, check_finite=False)
        return np.asarray(half.T @ half, dtype=np.float64)

    @cached_property
    def across_inverse(self) -> Floats:
        """The part of M of the first term by the rest."""
        # One product of matrices: a product for every level takes several times as long.
        n_levels, width, size = self.reduced.shape
        flat: Floats = self.reduced.reshape(n_levels * width, size) @ -self.rest_inverse
        return flat.reshape(self.reduced.shape)

    @cached_property
    def own_diagonal(self) -> Floats:
        """The blocks of M on the diagonal of the first term."""
        added: Floats
        if self.reduced.shape[1] == 1:
            added = np.einsum("laq,laq->l", self.across_inverse, self.reduced)[:, None, None]
        else:
            added = self.across_inverse @ self.reduced.transpose(0, 2, 1)
        blocks: Floats = self.own_inverse - added
        return blocks


def products(terms: Sequence[Term], weights: Floats) -> Products:
    """Return the weighted products of the terms."""
    first, rest = terms[0], terms[1:]
    size = sum(term.size for term in rest)
    across = np.empty((first.n_levels, first.width, size))
    inner = np.zeros((size, size))
    starts = np.cumsum([0, *(term.size for term in rest)])
    for g, term in enumerate(rest):
        here = slice(starts[g], starts[g + 1])
        shape = (first.n_levels, first.width, term.size)
        across[:, :, here] = cross_products(first, term, weights).reshape(shape)
        blocks = np.zeros((term.n_levels, term.width, term.n_levels, term.width))
        levels = np.arange(term.n_levels)
        blocks[levels, :, levels, :] = own_products(term, weights)
        inner[here, here] = blocks.reshape(term.size, term.size)
        for h in range(g + 1, len(rest)):
            there = slice(starts[h], starts[h + 1])
            inner[here, there] = cross_products(term, rest[h], weights).reshape(term.size, rest[h].size)
            inner[there, here] = inner[here, there].T
    return Products(own_products(first, weights), across, inner)


def scaled_rest(values: Floats, factors: Sequence[Floats], terms: Sequence[Term]) -> Floats:
    """Return V Λ_2 for values whose last axis holds the effects of all terms but the first."""
    parts, start = [], 0
    for factor, term in zip(factors[1:], terms[1:], strict=True):
        part = values[..., start : start + term.size]
        by_level = part.reshape(*part.shape[:-1], term.n_levels, term.width) @ factor
        parts.append(by_level.reshape(part.shape))
        start += term.size
    return np.concatenate(parts, axis=-1) if parts else values


def solve_system(
    held: Products, factors: Sequence[Floats], terms: Sequence[Term], penalties: Sequence[Floats]
) -> System:
    """Factor Λ'Z'WZΛ + penalty; each term has one penalty per column: 1 for random effects, 0 for fixed ones."""
    first = factors[0]
    own = _turned(first, _turned(first, held.own).transpose(0, 2, 1)) + np.diag(penalties[0])
    across_scaled = scaled_rest(held.across, factors, terms)
    across = _turned(first, across_scaled)
    inner = scaled_rest(scaled_rest(held.rest, factors, terms).T, factors, terms)
    per_effect = [np.tile(penalty, term.n_levels) for penalty, term in zip(penalties[1:], terms[1:], strict=True)]
    inner = inner + np.diag(np.concatenate(per_effect) if per_effect else np.empty(0))
    own_inverse, own_determinant = _inverted(own)
    reduced = own_inverse * across if own.shape[1] == 1 else own_inverse @ across
    size = inner.shape[0]
    shape = (terms[0].size, size)
    remainder = inner - across.reshape(shape).T @ reduced.reshape(shape)
    root = np.asarray(np.linalg.cholesky(remainder), dtype=np.float64)
    determinants = own_determinant + 2 * np.log(np.diag(root)).sum()
    return System(own_inverse, reduced, across_scaled, float(determinants), root)


def _turned(factor: Floats, values: Floats) -> Floats:
    """Return Λ'V for values of every level; a single effect per level is only scaled."""
    return factor[0, 0] * values if factor.shape == (1, 1) else factor.T @ values


def _inverted(blocks: Floats) -> tuple[Floats, float]:
    """Return the inverses of all blocks, and the logarithm of their determinants together."""
    if blocks.shape[1] == 1:
        if not (blocks > 0).all():
            raise np.linalg.LinAlgError("A block is not positive.")
        return 1 / blocks, float(np.log(blocks).sum())
    return np.asarray(np.linalg.inv(blocks), dtype=np.float64), float(np.linalg.slogdet(blocks)[1].sum())


def solve(system: System, own: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """Return M r for a right side in two parts: (levels, columns) of the first term, and the rest as a vector."""
    # Products of one matrix with a vector: one for every level takes several times as long.
    flat = system.reduced.reshape(own.size, rest.size)
    right = rest - own.ravel() @ flat
    # By its root: the inverse takes most of the time of a system, and few systems are asked for it.
    lower: Floats = linalg.cho_solve((system.rest_root, True), right, check_finite=False) if right.size else right
    shift = flat @ lower
    upper: Floats = np.einsum("lab,lb->la", system.own_inverse, own) - shift.reshape(own.shape)
    return upper, lower


def determinant_slopes(
    system: System, held: Products, factors: Sequence[Floats], terms: Sequence[Term]
) -> list[Floats]:
    """Return the derivative of log |A| by every entry of each term's factor."""
    first, size = factors[0], system.rest_root.shape[0]
    # F = Σ over levels of the diagonal blocks of M Λ'Z'WZ; the derivative by the factor is 2 F'.
    across_inverse = system.across_inverse
    of_first = np.einsum("lab,lbc->ac", system.own_diagonal @ first.T, held.own)
    of_first += np.einsum("laq,lbq->ab", across_inverse, system.across_scaled)
    slopes = [2 * of_first.T]
    shape = (terms[0].size, size)
    moved = _turned(first, held.across).reshape(shape)
    inner = across_inverse.reshape(shape).T @ moved
    inner += system.rest_inverse @ scaled_rest(held.rest, factors, terms).T
    start = 0
    for term in terms[1:]:
        here = slice(start, start + term.size)
        blocks = inner[here, here].reshape(term.n_levels, term.width, term.n_levels, term.width)
        slopes.append(2 * np.einsum("lalb->ab", blocks).T)
        start += term.size
    return slopes


def leverages(system: System, factors: Sequence[Floats], terms: Sequence[Term]) -> Floats:
    """Return the diagonal of ZΛMΛ'Z': the variance of each row's effects given the answers, in units of the error."""
    first, start = terms[0], 0
    own = factors[0] @ system.own_diagonal @ factors[0].T
    leverage = _picked((first, first), own[:, :, None, :], first.codes)
    across = scaled_back(_turned(factors[0].T, system.across_inverse), factors, terms)
    inner = scaled_back(scaled_back(system.rest_inverse, factors, terms).T, factors, terms)
    for g, term in enumerate(terms[1:], start=1):
        block = across[:, :, start : start + term.size].reshape(first.n_levels, first.width, term.n_levels, term.width)
        leverage += 2 * _picked((first, term), block, shared_cells(first, term))
        begin = start
        for h in range(g, len(terms)):
            other = terms[h]
            cells = inner[start : start + term.size, begin : begin + other.size]
            shaped = cells.reshape(term.n_levels, term.width, other.n_levels, other.width)
            leverage += (1.0 if h == g else 2.0) * _picked((term, other), shaped, shared_cells(term, other))
            begin += other.size
        start += term.size
    return leverage


def _picked(terms: tuple[Term, Term], blocks: Floats, cells: Ints) -> Floats:
    """Return z_1'Bz_2 of every row, with the block B of its pair of levels."""
    first, second = terms
    if blocks.shape[0] == blocks.shape[2] == 1:
        both: Floats = np.einsum("ia,ia->i", first.columns @ blocks[0, :, 0, :], second.columns)
        return both
    total = np.zeros(len(first.columns))
    for a in range(first.width):
        for b in range(second.width):
            total += first.columns[:, a] * second.columns[:, b] * blocks[:, a, :, b].ravel().take(cells)
    return total


def scaled_back(values: Floats, factors: Sequence[Floats], terms: Sequence[Term]) -> Floats:
    """Return V Λ_2' for values whose last axis holds the effects of all terms but the first."""
    return scaled_rest(values, [factor.T for factor in factors], terms)
