"""Correlations of repeated answers, with people drawn as wholes, since answers of one person are not independent."""

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import stats

_BATCH = 500


def resampled_correlations(
    first: Floats, second: Floats, people: npt.NDArray[np.int64], *, rng: np.random.Generator, n_resamples: int
) -> Floats:
    """Return Pearson's r of all rows of the people in each resample; NaN where one of the two does not vary.

    Sums of each person are added up with the number of times the person was drawn, so that no row is copied.
    """
    x, y = first - first.mean(), second - second.mean()
    terms = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    n_people = int(people.max()) + 1
    sums = np.zeros((n_people, terms.shape[1]))
    np.add.at(sums, people, terms)
    drawn = [_counts(n_people, size, rng) @ sums for size in _batches(n_resamples)]
    n, sum_x, sum_y, sum_xx, sum_yy, sum_xy = np.concatenate(drawn).T
    covariance = sum_xy - sum_x * sum_y / n
    spread = (sum_xx - sum_x**2 / n) * (sum_yy - sum_y**2 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        r: Floats = np.where(spread > 1e-12 * n**2, covariance / np.sqrt(np.maximum(spread, 0)), np.nan)
    return np.clip(r, -1, 1)


def level_means(values: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """Return the different levels in order, and the mean of the values at each."""
    distinct, index = np.unique(levels, return_inverse=True)
    means: Floats = np.bincount(index, weights=values) / np.bincount(index)
    return distinct, means


def resampled_level_correlations(
    values: Floats, levels: Floats, people: npt.NDArray[np.int64], *, rng: np.random.Generator, n_resamples: int
) -> Floats:
    """Return Spearman's rho of the levels and the mean value at each, in resamples of people."""
    distinct, index = np.unique(levels, return_inverse=True)
    n_people = int(people.max()) + 1
    sums, counts = np.zeros((n_people, distinct.size)), np.zeros((n_people, distinct.size))
    np.add.at(sums, (people, index), values)
    np.add.at(counts, (people, index), 1.0)
    ranks = np.arange(distinct.size) - (distinct.size - 1) / 2
    found = []
    for size in _batches(n_resamples):
        weights = _counts(n_people, size, rng)
        n = weights @ counts
        with np.errstate(divide="ignore", invalid="ignore"):
            means = weights @ sums / n
        order = stats.rankdata(means, axis=1) - (distinct.size + 1) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = order @ ranks / np.sqrt((order**2).sum(axis=1) * (ranks**2).sum())
        # A resample in which nobody has some level says nothing about the order of all of them.
        found.append(np.where((n > 0).all(axis=1), rho, np.nan))
    return np.concatenate(found)


def _counts(n: int, size: int, rng: np.random.Generator) -> Floats:
    return rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)


def _batches(total: int) -> list[int]:
    return [min(_BATCH, total - start) for start in range(0, total, _BATCH)]
