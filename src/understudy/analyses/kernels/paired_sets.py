"""Every paired comparison of a few long rows of scores, from a single pass over them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.threads import one_thread
from understudy.analyses.kernels.vectors import Bools, Floats, is_negligible

_BLOCK = 1 << 15
"""Numbers of one row that are processed at a time; four such rows stay in the cache."""
_BITS_BLOCK = 1 << 20
_DELICATE = 1e-4
"""Below this share of the mean square, products would cancel, and the variance of a difference is computed directly."""


class PairedSets(NamedTuple):
    """Means and variances of k rows, and of the difference of every two of them."""

    n: int
    means: Floats
    variances: Floats
    """With n - 1 in the denominator, like all variances here."""
    differences: Floats
    """differences[i, j] is the mean of row i minus row j."""
    difference_variances: Floats


def paired_sets(scores: npt.NDArray[np.float64 | np.bool_]) -> PairedSets:
    """Return what paired t tests of all pairs of rows need.

    Parameters
    ----------
    scores
        k rows of n numbers; Boolean rows are counted bit by bit.

    Notes
    -----
    One pass in blocks computes the k sums and the k (k + 1) / 2 products, so no difference is ever stored.
    If two rows are nearly the same, their variance would be lost in rounding; only those pairs are read again,
    around their mean.

    Examples
    --------
    >>> sets = paired_sets(np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.5]]))
    >>> sets.differences[0, 1], round(float(sets.difference_variances[0, 1]), 4)
    (np.float64(0.375), 0.2292)
    """
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise ValueError(f"scores are {' x '.join(map(str, scores.shape))}; rows of at least 2 numbers are needed.")
    if scores.dtype == np.bool_:
        return _from_counts(scores.astype(np.bool_, copy=False))
    return _from_products(np.ascontiguousarray(scores, dtype=np.float64))


def _from_counts(scores: Bools) -> PairedSets:
    """Count how often two rows are true together: whole numbers, so nothing is rounded before the end."""
    k, n = scores.shape
    together = np.zeros((k, k), dtype=np.int64)
    for start in range(0, n, _BITS_BLOCK):
        packed = np.ascontiguousarray(np.packbits(scores[:, start : start + _BITS_BLOCK], axis=1))
        # Eight bytes at a time where the length allows it.
        bits = packed.view(np.uint64) if packed.shape[1] % 8 == 0 else packed
        for i in range(k):
            for j in range(i, k):
                together[i, j] += int(np.bitwise_count(bits[i] & bits[j]).sum(dtype=np.int64))
    together = np.maximum(together, together.T)
    counts = np.diagonal(together)
    # Squared differences of 0 and 1 count the places where two rows differ.
    apart = counts[:, None] + counts[None, :] - 2 * together
    gaps = counts[:, None] - counts[None, :]
    below = n * (n - 1.0)
    return PairedSets(n, counts / n, counts * (n - counts) / below, gaps / n, (n * apart - gaps**2) / below)


@one_thread
def _from_products(scores: Floats) -> PairedSets:
    k, n = scores.shape
    sums, products = np.zeros(k), np.zeros((k, k))
    for start in range(0, n, _BLOCK):
        block = scores[:, start : start + _BLOCK]
        sums += block.sum(axis=1)
        for i in range(k):
            for j in range(i, k):
                products[i, j] += np.dot(block[i], block[j])
    products = (products + np.triu(products, 1).T) / n
    means, squares = sums / n, np.diagonal(products)
    differences = means[:, None] - means[None, :]
    spread = (squares[:, None] + squares[None, :] - 2 * products - differences**2) * (n / (n - 1))
    variances = (squares - means**2) * (n / (n - 1))
    for i in range(k):
        if variances[i] < _DELICATE * squares[i]:
            variances[i] = _around_the_mean(scores[i], None)[1]
        for j in range(i + 1, k):
            if spread[i, j] < _DELICATE * (squares[i] + squares[j]):
                mean, variance = _around_the_mean(scores[i], scores[j])
                differences[i, j], differences[j, i] = mean, -mean
                spread[i, j] = spread[j, i] = variance
    np.fill_diagonal(spread, 0.0)
    return PairedSets(n, means, variances, differences, spread)


def _around_the_mean(first: Floats, second: Floats | None) -> tuple[float, float]:
    """Return mean and variance of first minus second, in blocks and around the mean."""
    n, total, squares, rest = first.size, 0.0, 0.0, 0.0
    for block in _blocks(first, second):
        total += float(block.sum())
    mean = total / n
    for block in _blocks(first, second):
        centred = block - mean
        squares += float(np.dot(centred, centred))
        rest += float(centred.sum())
    # `rest` would be 0 without rounding; it corrects the mean and, squared, the variance (Chan et al. 1983).
    return mean + rest / n, max(0.0, (squares - rest * rest / n) / (n - 1))


def _blocks(first: Floats, second: Floats | None) -> Iterator[Floats]:
    for start in range(0, first.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        yield first[part] if second is None else first[part] - second[part]


def has_no_spread(variance: float, n: int, scale: float) -> bool:
    """Return whether differences are equal up to rounding; `scale` is the size of the scores."""
    return is_negligible((max(variance, 0.0) / n) ** 0.5, scale)
