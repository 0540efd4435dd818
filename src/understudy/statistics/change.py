"""Logistic models with an intercept for each person in batches, and change as published."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import special
from understudy.statistics.arrays import Bools, Floats, Ints
from understudy.statistics.bootstrap import Bootstrap, trimmed_sums
from understudy.statistics.distributions import Alternative, Interval, check_level

# Laplace likelihood of many one-factor logistic mixed models at once.
#
# The formulas are those of `glmm_laplace`; with a single grouping factor, the q × q algebra reduces to one
# number per group, so every array here has shape (data sets, groups, cells).


class Batch(NamedTuple):
    """Counts of many data sets; `x` has one row per group and cell, groups first."""

    successes: Floats
    trials: Floats
    x: Floats
    times: Floats | None = None
    """How many equal groups each group of a data set represents; None if each is only itself."""

    def of(self, chosen: Bools) -> "Batch":
        """Return the chosen data sets."""
        times = None if self.times is None else self.times[chosen]
        return Batch(self.successes[chosen], self.trials[chosen], self.x, times)

    def over_groups(self, values: Floats) -> Floats:
        """Add up the values of all groups of each data set."""
        sums: Floats = values.sum(axis=1) if self.times is None else np.einsum("bg,bg->b", values, self.times)
        return sums


class BatchPoint(NamedTuple):
    """Slopes by (β, φ), conditional modes and expected curvature by φ; the deviance only on request."""

    slope: Floats
    modes: Floats
    expected: Floats
    deviance: Floats


class _Cells(NamedTuple):
    eta: Floats
    share: Floats
    residual: Floats
    weight: Floats


def batch_laplace(parameters: Floats, batch: Batch, start: Floats, *, with_deviance: bool = False) -> BatchPoint:
    """Evaluate each data set at its own (β, φ), one row each, searching modes from `start`."""
    p = batch.x.shape[1]
    shape = batch.successes.shape
    fixed = (parameters[:, :p] @ batch.x.T).reshape(shape)
    ratio = parameters[:, p:]
    modes = _find_modes(fixed, ratio, batch, start)
    cells = _cells(fixed, modes, batch)
    push, counts = cells.residual.sum(axis=-1), cells.weight.sum(axis=-1)
    shrink = 1 / (1 + ratio * counts)
    spread = (ratio * shrink)[..., None]
    # W' = n p (1 - p) (1 - 2 p): how the log-determinant changes with the linear predictor.
    drift = cells.weight * (1 - 2 * cells.share) * spread
    pull = drift.sum(axis=-1)
    by_cell = drift - cells.weight * (spread * pull[..., None]) - 2 * cells.residual
    if batch.times is not None:
        by_cell *= batch.times[..., None]
    by_beta = by_cell.reshape(len(parameters), -1) @ batch.x
    curved = counts * shrink
    by_ratio = batch.over_groups(curved - push**2 + pull * shrink * push)
    deviance = np.empty(0)
    if with_deviance:
        fit = batch.successes * cells.eta - batch.trials * _softplus(cells.eta)
        penalty = ratio * push**2 + np.log1p(ratio * counts)
        deviance = batch.over_groups(penalty - 2 * fit.sum(axis=-1))
    return BatchPoint(np.column_stack([by_beta, by_ratio]), modes, batch.over_groups(curved**2), deviance)


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
        if np.abs(step).max(initial=0.0) < 1e-7:  # the remaining error is of the order of its square
            break
    return modes


def _softplus(values: Floats) -> Floats:
    # log(1 + e^x) without overflow for large x.
    return np.maximum(values, 0) + np.log1p(np.exp(-np.abs(values)))


_WORTH_IT = 0.8


class Merged(NamedTuple):
    """A batch whose groups are the kinds of groups there are, and the kind of each group of each data set."""

    batch: Batch
    kinds: Ints


def merged_groups(batch: Batch) -> Merged | None:
    """Return the kinds of groups that occur in a block of data sets; None if there are about as many as groups.

    Examples
    --------
    >>> counts = np.array([[[3.0], [1.0], [3.0], [1.0], [3.0], [3.0]]])
    >>> merged = merged_groups(Batch(counts, np.full_like(counts, 5.0), np.ones((6, 1))))
    >>> merged.kinds, merged.batch.times
    (array([[1, 0, 1, 0, 1, 1]]), array([[2., 4.]]))
    """
    size, n_groups, n_cells = batch.successes.shape
    trials = batch.trials[0]
    if n_cells > 1 or (batch.trials != trials).any() or (batch.successes % 1).any():
        return None
    designs = np.column_stack([batch.x, trials])
    _, first, design_of = np.unique(designs, axis=0, return_index=True, return_inverse=True)
    n_counts = int(batch.successes.max()) + 1
    if first.size > n_groups * _WORTH_IT:
        return None
    labels = design_of.reshape(-1) * n_counts + batch.successes[..., 0].astype(np.int64)
    found, kinds = np.unique(labels, return_inverse=True)
    if found.size > n_groups * _WORTH_IT:
        return None
    kinds = kinds.reshape(size, n_groups)
    rows = np.arange(size)[:, None] * found.size + kinds
    times = np.bincount(rows.reshape(-1), minlength=size * found.size).reshape(size, found.size).astype(np.float64)
    group = first[found // n_counts]
    shape = (size, found.size, 1)
    counts = np.broadcast_to((found % n_counts).astype(np.float64)[:, None], shape)
    return Merged(Batch(counts, np.broadcast_to(trials[group], shape), batch.x[group], times), kinds)


# Many one-factor logistic mixed models fitted at once: power studies and parametric bootstraps.

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


# Change as computed by Hase & Bansal (2020): after as observed, before as shrunk by a mixed model.

# lme4 calls a fit singular below this standard deviation of the random effect.
_SINGULAR_SD = 1e-4


class PairedAnswers(NamedTuple):
    """One row per person and item: its blocks, its group, and whether it was correct before and after."""

    people: npt.NDArray[np.str_]
    items: npt.NDArray[np.str_]
    groups: Ints
    before: Floats
    after: Floats


class ResampledChange(NamedTuple):
    """The Change of each group in each resample (NaN if undefined), and why resamples were skipped."""

    change: Floats
    n_singular: int
    """Fits without visible variance between groups, which the paper's script skips."""
    n_unfitted: int
    """Fits without a finite estimate, or with one group only."""


class PublishedChange(NamedTuple):
    """Resamples of people and items, as the paper drew them, and of people alone."""

    people_and_items: ResampledChange
    people: ResampledChange


def published_change(answers: PairedAnswers, *, rng: np.random.Generator, n_resamples: int) -> PublishedChange:
    """Draw trimmed blocks of people across all groups, then of items, and fit the first phase in each resample."""
    # Indicator columns turn sums over resampled rows into counts per group.
    is_group = np.eye(int(answers.groups.max()) + 1)[answers.groups]
    features = np.hstack([is_group, is_group * answers.before[:, None], is_group * answers.after[:, None]])
    sums = trimmed_sums(answers.people, answers.items, features, rng=rng, n_resamples=n_resamples)
    return PublishedChange(change_from_counts(sums.people_and_items), change_from_counts(sums.people))


def change_from_counts(sums: Floats) -> ResampledChange:
    """Fit `before ~ 1 + (1 | group)` by Laplace in every row, and compute each group's Change.

    Parameters
    ----------
    sums
        One row per data set: answers in each group, then the numbers correct before, then after.

    Examples
    --------
    >>> change_from_counts(np.array([[20.0, 20, 20, 5, 10, 16, 20, 20, 20]])).change.round(3)
    array([[0.694, 0.496, 0.26 ]])
    """
    n, before, after = np.split(sums, 3, axis=1)
    fit = fit_glmm_batch(before, n)
    is_singular = fit.is_converged & (fit.variances <= _SINGULAR_SD**2)
    is_fitted = fit.is_converged & ((n > 0).sum(axis=1) > 1)
    start = special.expit(fit.coefficients[:, :1] + fit.modes)
    end = np.divide(after, n, out=np.full(n.shape, np.nan), where=n > 0)
    change = np.where((is_fitted & ~is_singular)[:, None], end - start, np.nan)
    return ResampledChange(change, int((is_fitted & is_singular).sum()), int((~is_fitted).sum()))


def published_summary(values: Floats, *, alternative: Alternative, level: float) -> Bootstrap:
    """Summarise resamples as in the paper: their mean, a half-width interval, and the share farther from it than 0."""
    finite_values = values[np.isfinite(values)]
    if finite_values.size < 2:
        raise ValueError(
            f"{finite_values.size} resamples hold this group and a mixed model that is not singular; at least 2 are needed. "
            "Use the method 'within_condition'."
        )
    tail = (1 - check_level(level)) / 2
    low, high = np.quantile(finite_values, [tail, 1 - tail])
    middle, half = float(finite_values.mean()), float(high - low) / 2
    is_farther = {
        "two-sided": np.abs(finite_values - middle) > abs(middle),
        "greater": finite_values - middle > middle,
        "less": finite_values - middle < middle,
    }[alternative]
    p_value = float(is_farther.mean())
    interval = Interval(middle - half, middle + half)
    return Bootstrap(
        middle, float(finite_values.std(ddof=1)), interval, p_value, p_value, middle, p_value, finite_values.size
    )
