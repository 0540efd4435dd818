"""Aligned rank transform: ranks of values from which all effects but one were taken out."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats, Ints, vector
from understudy.deferred.scipy import stats


def aligned_ranks(values: npt.ArrayLike, factors: Sequence[Sequence[str]], tested: tuple[int, ...]) -> Floats:
    """Rank the residuals of the cells plus the estimated effect of some factors (Wobbrock et al. 2011).

    The effect is the mean of its cells, less all effects that it contains. Only that effect may be read off an
    analysis of variance of these ranks.

    Examples
    --------
    >>> aligned_ranks([1, 2, 5, 9], [["a", "a", "b", "b"], ["x", "y", "x", "y"]], (0,))
    array([1.5, 1.5, 3.5, 3.5])
    """
    y = vector(values, "values")
    codes = np.stack([np.unique(np.asarray(labels, dtype=str), return_inverse=True)[1] for labels in factors], axis=1)
    residual = y - _cell_means(codes, y)
    effect = np.zeros_like(y)
    # The inclusion-exclusion sum over all smaller sets of factors isolates the effect itself.
    for size in range(len(tested) + 1):
        for members in combinations(tested, size):
            effect += (-1) ** (len(tested) - size) * _cell_means(codes[:, list(members)], y)
    aligned = residual + effect
    # Equal values differ in their last bits after sums in another order; ranks would take them for different.
    digits = 10 - int(np.floor(np.log10(max(float(np.abs(aligned).max()), 1e-300))))
    ranks: Floats = stats.rankdata(np.round(aligned, min(digits, 300)))
    return ranks


def _cell_means(codes: Ints, y: Floats) -> Floats:
    """Return the mean of each row's cell; without any factor, the mean of all."""
    if not codes.shape[1]:
        return np.full_like(y, y.mean())
    cells = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    means: Floats = (np.bincount(cells, weights=y) / np.bincount(cells))[cells]
    return means
