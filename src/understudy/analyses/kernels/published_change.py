"""Change as computed by Hase & Bansal (2020): after as observed, before as shrunk by a mixed model."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.bootstrap import Bootstrap
from understudy.analyses.kernels.glmm_batch import fit_glmm_batch
from understudy.analyses.kernels.tails import Alternative, Interval, check_level
from understudy.analyses.kernels.trimmed_blocks import trimmed_sums
from understudy.analyses.kernels.vectors import Floats, Ints
from understudy.deferred.scipy import special

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
