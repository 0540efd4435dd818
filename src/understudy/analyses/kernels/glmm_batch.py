"""Many one-factor logistic mixed models fitted at once: power studies and parametric bootstraps."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.equal_groups import merged_groups
from understudy.analyses.kernels.glmm_batch_laplace import Batch, BatchPoint, batch_laplace
from understudy.analyses.kernels.vectors import Bools, Floats

# Data sets are fitted in blocks whose arrays stay in cache.
_BLOCK_CELLS = 100_000
_RUNAWAY = 15.0
_ROUNDING = 1e-12


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
    batch = _batch(successes, trials, predictors)
    size = max(1, _BLOCK_CELLS // max(1, batch.successes[0].size))
    starts = range(0, len(batch.successes), size)
    parts = [_fit_grouped(Batch(batch.successes[s : s + size], batch.trials[s : s + size], batch.x)) for s in starts]
    return BatchLogisticFit(*(np.concatenate(column) for column in zip(*parts, strict=True)))


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
    return Batch(k.reshape(shape), n.reshape(shape), x)


def _fit_grouped(batch: Batch) -> BatchLogisticFit:
    """Fit a block of data sets; groups with equal counts and predictors are computed once, if that saves work."""
    merged = merged_groups(batch)
    if merged is None:
        return _fit_block(batch)
    fit = _fit_block(merged.batch)
    return fit._replace(modes=np.take_along_axis(fit.modes, merged.kinds, axis=1))


def _fit_block(batch: Batch) -> BatchLogisticFit:
    p = batch.x.shape[1]
    search = _search(batch)
    # A step may end at a rounding error above zero, which is the boundary all the same.
    search.parameters[search.parameters[:, p] < _ROUNDING, p] = 0.0
    is_boundary = search.parameters[:, p] <= 0
    point = batch_laplace(search.parameters, batch, search.modes, with_deviance=True)
    hessian = _curvature(search.parameters, batch, search.modes, is_central=True)
    _pin(hessian, is_boundary)
    is_proper = search.is_converged & (np.linalg.eigvalsh(hessian)[:, 0] > 1e-9)
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
    n_yes, n_all = (batch.over_groups(counts.sum(axis=-1)) for counts in (batch.successes, batch.trials))
    is_converged = np.zeros(size, dtype=np.bool_)
    active = (n_yes > 0) & (n_yes < n_all)
    for _ in range(60):
        if not active.any():
            break
        part = batch.of(active)
        here = parameters[active]
        moved, part_modes, step = _newton_step(here, part, modes[active])
        parameters[active], modes[active] = moved, part_modes
        has_arrived = step < 1e-8
        # Coefficients that keep growing have no finite maximum: the answers are separated.
        is_lost = (np.abs(moved[:, :p]) > _RUNAWAY).any(axis=1)
        is_converged[active] = has_arrived & ~is_lost
        active[active] = ~has_arrived & ~is_lost
    return _Search(parameters, modes, is_converged)


def _starts(batch: Batch) -> Floats:
    """Start at the pooled log-odds, projected on the predictors by least squares, and a variance of 0.5."""
    n_yes, n_all = (batch.over_groups(counts.sum(axis=-1)) for counts in (batch.successes, batch.trials))
    pooled = (n_yes + 0.5) / (n_all + 1)
    # Least-squares weights that make the predictors add up to one, the intercept in any coding.
    ones = np.linalg.lstsq(batch.x, np.ones(len(batch.x)), rcond=None)[0]
    return np.column_stack([np.outer(np.log(pooled / (1 - pooled)), ones), np.full(len(pooled), 0.5)])


def _newton_step(here: Floats, batch: Batch, modes: Floats) -> tuple[Floats, Floats, Floats]:
    """Return new parameters, new modes and the size of each step, halved until the deviance falls."""
    p = batch.x.shape[1]
    point = batch_laplace(here, batch, modes, with_deviance=True)
    # At zero, and with the deviance rising from there, the variance is held at its bound.
    is_pinned = (here[:, p] <= 0) & (point.slope[:, p] >= 0)
    hessian = _curvature(here, batch, point.modes, is_central=False)
    slope = np.where(is_pinned[:, None] & (np.arange(p + 1) == p), 0.0, point.slope)
    _pin(hessian, is_pinned)
    _make_definite(hessian, point.expected, is_pinned)
    step = -np.linalg.solve(hessian, slope[..., None])[..., 0]
    # Long steps on the log-odds scale overshoot into the flat tails of the likelihood.
    step = np.clip(step, -1.5, 1.5)
    target, new_modes, worse = _try_step(here, step, batch, point)
    for _ in range(12):
        if not worse.any():
            break
        step[worse] /= 2
        target, new_modes, worse = _try_step(here, step, batch, point)
    target[worse], new_modes[worse] = here[worse], point.modes[worse]
    return target, new_modes, np.abs(target - here).max(axis=1)


def _try_step(here: Floats, step: Floats, batch: Batch, last: BatchPoint) -> tuple[Floats, Floats, Bools]:
    """Return the parameters after a step, their modes, and where the deviance rose by more than rounding."""
    target = here + step
    target[:, -1] = np.maximum(target[:, -1], 0.0)
    point = batch_laplace(target, batch, last.modes, with_deviance=True)
    return target, point.modes, point.deviance > last.deviance + 1e-9 * np.abs(last.deviance)


def _curvature(parameters: Floats, batch: Batch, modes: Floats, *, is_central: bool) -> Floats:
    """Return second derivatives from differences of the exact slope, forward or central."""
    size, width = parameters.shape
    hessian = np.empty((size, width, width))
    forward_base = batch_laplace(parameters, batch, modes).slope
    for j in range(width):
        step = np.zeros_like(parameters)
        step[:, j] = 1e-5 if j < width - 1 else 1e-5 * np.maximum(parameters[:, j], 0.01)
        up = batch_laplace(parameters + step, batch, modes).slope
        # The variance takes a forward difference always, because a step back could cross zero.
        if is_central and j < width - 1:
            down = batch_laplace(parameters - step, batch, modes).slope
            hessian[:, :, j] = (up - down) / (2 * step[:, [j]])
        else:
            hessian[:, :, j] = (up - forward_base) / step[:, [j]]
    return (hessian + hessian.transpose(0, 2, 1)) / 2


def _pin(hessian: Floats, is_pinned: Bools) -> None:
    """Remove the variance from the equations of data sets where it stays at zero."""
    hessian[is_pinned, -1, :] = 0
    hessian[is_pinned, :, -1] = 0
    hessian[is_pinned, -1, -1] = 1


def _make_definite(hessian: Floats, expected: Floats, is_pinned: Bools) -> None:
    """Replace a Hessian that is not positive definite by its diagonal, with the expected curvature for the variance."""
    is_bad = np.linalg.eigvalsh(hessian)[:, 0] < 1e-8
    diagonal = np.abs(np.einsum("bii->bi", hessian[is_bad])) + 1e-3
    diagonal[:, -1] = np.where(is_pinned[is_bad], 1.0, expected[is_bad] + 1e-9)
    hessian[is_bad] = diagonal[:, :, None] * np.eye(hessian.shape[1])
