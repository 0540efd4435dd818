"""Exact null distributions of the rank-sum and signed-rank statistics, and of rank correlation."""

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Alternative
from understudy.analyses.kernels.vectors import Floats


def rank_sum_chances(n_first: int, n_second: int) -> Floats:
    """Return P(U = u) for u = 0 … n_first * n_second without ties.

    The generating function is the Gaussian binomial coefficient (Mann & Whitney 1947), expanded in whole
    numbers so that nothing cancels.

    Examples
    --------
    >>> rank_sum_chances(2, 2) * 6
    array([1., 1., 2., 1., 1.])
    """
    top = n_first * n_second
    counts = [1] + [0] * top
    for i in range(1, n_first + 1):
        # Multiplying by (1 - q^(n_second + i)) and dividing by (1 - q^i), in place.
        for j in range(top, n_second + i - 1, -1):
            counts[j] -= counts[j - n_second - i]
        for j in range(i, top + 1):
            counts[j] += counts[j - i]
    total = sum(counts)
    return np.array([count / total for count in counts])


def signed_rank_chances(n: int) -> Floats:
    """Return P(V = v) for v = 0 … n (n + 1) / 2 without ties or zeros.

    Examples
    --------
    >>> signed_rank_chances(2) * 4
    array([1., 1., 1., 1.])
    """
    chances = np.zeros(n * (n + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, n + 1):
        # A rank is positive or negative with equal chance: shifted by the rank, or not.
        shifted = np.concatenate([np.zeros(rank), chances[:-rank]])
        chances = (chances + shifted) / 2
    return chances


def rank_correlation_p(ranks: Floats, others: Floats, alternative: Alternative) -> float:
    """Return the share of all orders that agree at least as much; two-sided is twice the smaller tail, as in R.

    Sums of products of ranks are exact in binary, ties included, so equal ones compare as equal.

    Examples
    --------
    >>> ranks = np.array([1.0, 2, 3])
    >>> round(rank_correlation_p(ranks, ranks, "two-sided"), 4)
    0.3333
    """
    products = others[_orders(others.size)] @ ranks
    sums, counts = np.unique(products, return_counts=True)
    return exact_p(counts / products.size, int(np.searchsorted(sums, ranks @ others)), alternative)


def _orders(n: int) -> npt.NDArray[np.intp]:
    orders = np.zeros((1, 1), dtype=np.intp)
    for last in range(1, n):
        orders = np.concatenate([np.insert(orders, position, last, axis=1) for position in range(last + 1)])
    return orders


def exact_p(chances: Floats, value: int, alternative: Alternative) -> float:
    """Return the tail area at `value`; two-sided is twice the smaller tail, at most 1, as in R.

    Examples
    --------
    >>> round(exact_p(rank_sum_chances(2, 2), 0, "two-sided"), 4)
    0.3333
    """
    below, above = float(chances[: value + 1].sum()), float(chances[value:].sum())
    if alternative == "less":
        return below
    if alternative == "greater":
        return above
    if alternative == "two-sided":
        return min(1.0, 2 * min(below, above))
    raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")


def lower_quantile(chances: Floats, area: float) -> int:
    """Return the smallest value whose cumulative chance reaches `area`, with R's tolerance."""
    fuzz = 64 * float(np.finfo(np.float64).eps)
    return int(np.argmax(np.cumsum(chances) >= area * (1 - fuzz)))
