"""Many one-factor logistic mixed models fitted at once: power studies and parametric bootstraps."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.glmm_batch_laplace import Batch, BatchPoint, batch_laplace
from understudy.analyses.kernels.vectors import Bools, Floats, Ints

# Data sets are fitted in blocks whose arrays stay in cache.
_BLOCK_CELLS = 15_000
_RUNAWAY = 15.0


class BatchLogisticFit(NamedTuple):
    """One row per data set, as `glmm.fit_glmm` gives for each; `modes` are the groups' intercepts.

    If no finite estimate exists (all answers the same, separation), `is_converged` is false and
    every number of that row is NaN.
    """

    coefficients: Floats
    standard_errors: Floats
    variances: Floats
    log_likelihoods: Floats
    modes: Floats
    is_boundary: Bools
    is_converged: Bools


class _Search(NamedTuple):
    parameters: Floats
    modes: Floats
    is_converged: Bools


def fit_glmm_batch(
    successes: npt.ArrayLike, trials: npt.ArrayLike, predictors: npt.ArrayLike | None = None
) -> BatchLogisticFit:
    """Fit glmer's `cbind(k, n - k) ~ x + (1 | group)` (Laplace) to many data sets of one design.

    The log-likelihood is that of single answers; glmer on counts adds the log binomial coefficients.

    Parameters
    ----------
    successes
        Counts of shape (data sets, groups) or, with cells within groups, (data sets, groups, cells).
    trials
        Number of answers behind each count, broadcast to the shape of `successes`.
    predictors
        Design of shape (groups, p) or (groups, cells, p), including a column of ones; only an intercept by default.

    Examples
    --------
    >>> fit = fit_glmm_batch([[9, 7, 3, 5, 2, 8], [5, 5, 5, 5, 5, 5]], 10)
    >>> fit.coefficients[:, 0].round(3), fit.variances.round(3), fit.is_boundary
    (array([0.327, 0.   ]), array([0.967, 0.   ]), array([False,  True]))
    """
    given = _batch(successes, trials, predictors)
    batch, position = _with_alike_together(given)
    size = max(1, _BLOCK_CELLS // max(1, batch.successes[0].size))
    starts = range(0, len(batch.successes), size)
    parts = [_fit_block(batch.of(slice(s, s + size))) for s in starts]
    fit = BatchLogisticFit(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return fit if position is None else fit._replace(modes=np.take_along_axis(fit.modes, position, axis=1))


def _batch(successes: npt.ArrayLike, trials: npt.ArrayLike, predictors: npt.ArrayLike | None) -> Batch:
    k = np.asarray(successes, dtype=np.float64)
    if k.ndim not in (2, 3) or k.shape[0] < 1 or k.shape[1] < 2:
        raise ValueError(f"successes has shape {k.shape}; (data sets, 2 or more groups[, cells]) is needed.")
    n = np.broadcast_to(np.asarray(trials, dtype=np.float64), k.shape)
    if (k < 0).any() or (k > n).any():
        raise ValueError("successes holds counts below 0 or above trials.")
    design = np.ones((*k.shape[1:], 1)) if predictors is None else np.asarray(predictors, dtype=np.float64)
    if design.shape[:-1] != k.shape[1:]:
        raise ValueError(f"predictors has shape {design.shape}; {(*k.shape[1:], 'p')} is needed.")
    x = design.reshape(-1, design.shape[-1])
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise ValueError(f"The {x.shape[1]} predictors follow from each other; leave out those that do.")
    shape = k.shape if k.ndim == 3 else (*k.shape, 1)
    return Batch(k.reshape(shape), n.reshape(shape), x, np.ones(shape[:2]))


def _with_alike_together(batch: Batch) -> tuple[Batch, Ints | None]:
    """Let people with the same predictors and the same count share one group; also return where each person went.

    Sixty people with twelve answers each have at most 13 different counts, and one mode for each.
    """
    rows, kind = np.unique(batch.x, axis=0, return_inverse=True)
    most = batch.trials.flat[0]
    n_counts = int(most) + 1
    size, n_groups, n_cells = batch.successes.shape
    is_alike = (batch.trials == most).all() and (batch.successes == np.round(batch.successes)).all()
    if n_cells > 1 or not is_alike or len(rows) * n_counts >= n_groups:
        return batch, None
    position = np.asarray(kind.ravel() * n_counts + batch.successes[..., 0], dtype=np.int64)
    width = len(rows) * n_counts
    flat = (np.arange(size)[:, None] * width + position).ravel()
    copies = np.bincount(flat, minlength=size * width).reshape(size, width).astype(np.float64)
    counts = np.broadcast_to(np.tile(np.arange(n_counts, dtype=np.float64), len(rows))[:, None], (size, width, 1))
    every = np.broadcast_to(np.float64(most), counts.shape)
    return Batch(counts, every, np.repeat(rows, n_counts, axis=0), copies), position


def _fit_block(batch: Batch) -> BatchLogisticFit:
    p = batch.x.shape[1]
    search = _search(batch)
    is_boundary = search.parameters[:, p] <= 0
    point = batch_laplace(search.parameters, batch, search.modes)
    hessian = point.hessian
    _pin(hessian, is_boundary)
    is_proper = search.is_converged & _is_definite(hessian)
    # Any invertible matrix will do: these rows become NaN below.
    hessian[~is_proper] = np.eye(p + 1)
    covariance = 2 * np.linalg.inv(hessian)[:, :p, :p]
    errors = np.sqrt(np.einsum("bii->bi", covariance))
    is_unknown = ~is_proper
    for array in (search.parameters, errors, point.deviance, point.modes):
        array[is_unknown] = np.nan
    return BatchLogisticFit(
        coefficients=search.parameters[:, :p],
        standard_errors=errors,
        variances=search.parameters[:, p],
        log_likelihoods=-point.deviance / 2,
        modes=point.modes,
        is_boundary=is_boundary & is_proper,
        is_converged=is_proper,
    )


def _search(batch: Batch) -> _Search:
    """Take projected Newton steps in all data sets at once, and drop those that have converged."""
    size, p = len(batch.successes), batch.x.shape[1]
    parameters, modes = _starts(batch), np.zeros(batch.successes.shape[:2])
    n_right, n_answers = _totals(batch)
    is_converged = np.zeros(size, dtype=np.bool_)
    rows = np.flatnonzero((n_right > 0) & (n_right < n_answers))
    part = batch.of(rows)
    point = batch_laplace(parameters[rows], part, modes[rows])
    for _ in range(60):
        if not rows.size:
            break
        moved, point, step = _newton_step(parameters[rows], part, point)
        parameters[rows], modes[rows] = moved, point.modes
        # Newton's method is quadratic: after a step of this size, the error is far below rounding to eight digits.
        has_arrived = step < 1e-6
        # Coefficients that keep growing have no finite maximum: the answers are separated.
        is_lost = (np.abs(moved[:, :p]) > _RUNAWAY).any(axis=1)
        is_converged[rows] = has_arrived & ~is_lost
        goes_on = ~has_arrived & ~is_lost
        if not goes_on.all():
            rows, part, point = rows[goes_on], part.of(goes_on), point.of(goes_on)
    return _Search(parameters, modes, is_converged)


def _totals(batch: Batch) -> tuple[Floats, Floats]:
    """Return the right answers and all answers of each data set."""
    return (
        (batch.successes.sum(axis=-1) * batch.copies).sum(axis=1),
        (batch.trials.sum(axis=-1) * batch.copies).sum(axis=1),
    )


def _starts(batch: Batch) -> Floats:
    """Start at the pooled log-odds, projected on the predictors by least squares, and a variance of 0.5."""
    n_right, n_answers = _totals(batch)
    pooled = (n_right + 0.5) / (n_answers + 1)
    # Least-squares weights that make the predictors add up to one, the intercept in any coding.
    ones = np.linalg.lstsq(batch.x, np.ones(len(batch.x)), rcond=None)[0]
    return np.column_stack([np.outer(np.log(pooled / (1 - pooled)), ones), np.full(len(pooled), 0.5)])


def _newton_step(here: Floats, batch: Batch, point: BatchPoint) -> tuple[Floats, BatchPoint, Floats]:
    """Return new parameters, what was found there and the size of each step, halved until the deviance falls."""
    p = batch.x.shape[1]
    # At zero, and with the deviance rising from there, the variance is held at its bound.
    is_pinned = (here[:, p] <= 0) & (point.slope[:, p] >= 0)
    hessian = point.hessian.copy()
    slope = np.where(is_pinned[:, None] & (np.arange(p + 1) == p), 0.0, point.slope)
    _pin(hessian, is_pinned)
    _make_definite(hessian, point.expected, is_pinned)
    # Long steps on the log-odds scale overshoot into the flat tails of the likelihood.
    step = np.clip(-np.linalg.solve(hessian, slope[..., None])[..., 0], -1.5, 1.5)
    target = _within_bounds(here + step)
    found = batch_laplace(target, batch, point.predicted_modes(target - here, batch.x))
    worse = _is_worse(found, point)
    for _ in range(12):
        if not worse.any():
            break
        step[worse] /= 2
        target[worse] = _within_bounds(here[worse] + step[worse])
        again = batch_laplace(target[worse], batch.of(worse), point.modes[worse])
        found.replace_rows(worse, again)
        worse = _is_worse(found, point)
    target[worse] = here[worse]
    found.replace_rows(worse, point.of(worse))
    return target, found, np.abs(target - here).max(axis=1)


def _within_bounds(parameters: Floats) -> Floats:
    parameters[:, -1] = np.maximum(parameters[:, -1], 0.0)
    return parameters


def _is_worse(found: BatchPoint, last: BatchPoint) -> Bools:
    """Return where the deviance rose by more than rounding."""
    return found.deviance > last.deviance + 1e-9 * np.abs(last.deviance)


def _pin(hessian: Floats, is_pinned: Bools) -> None:
    """Remove the variance from the equations of data sets where it stays at zero."""
    hessian[is_pinned, -1, :] = 0
    hessian[is_pinned, :, -1] = 0
    hessian[is_pinned, -1, -1] = 1


def _make_definite(hessian: Floats, expected: Floats, is_pinned: Bools) -> None:
    """Replace a Hessian that is not positive definite by its diagonal, with the expected curvature for the variance."""
    is_bad = ~_is_definite(hessian)
    diagonal = np.abs(np.einsum("bii->bi", hessian[is_bad])) + 1e-3
    diagonal[:, -1] = np.where(is_pinned[is_bad], 1.0, expected[is_bad] + 1e-9)
    hessian[is_bad] = diagonal[:, :, None] * np.eye(hessian.shape[1])


def _is_definite(matrices: Floats) -> Bools:
    """Return which symmetric matrices have positive pivots; eigenvalues would take ten times as long."""
    left, is_definite = matrices.copy(), np.ones(len(matrices), dtype=np.bool_)
    for k in range(left.shape[1]):
        is_definite &= left[:, k, k] > 1e-8
        pivot = np.where(is_definite, left[:, k, k], 1.0)
        left[:, k + 1 :, k + 1 :] -= left[:, k + 1 :, k, None] * left[:, None, k, k + 1 :] / pivot[:, None, None]
    return is_definite
