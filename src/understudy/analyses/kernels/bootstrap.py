"""Block bootstrap of a mean over participants, or over participants and items together."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import Alternative, Interval, check_level
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import stats

Blocks = Literal["participants_and_items", "participants"]

# Resamples are drawn in batches whose largest array stays near this many numbers (16 MB).
_BATCH_CELLS = 2_000_000


class Bootstrap(NamedTuple):
    """A bootstrapped mean (difference) with percentile limits and two p-values.

    `p_centred` is (1 + resamples as far from the estimate as the estimate from 0) / (1 + resamples).
    `p_sign` is twice the smaller share of resamples on either side of 0. `resample_mean` and
    `p_published` are as in the script of Hase & Bansal (2020): the mean of the resamples as the estimate, and the
    share of resamples farther from that mean than the mean is from 0.
    `n_resamples` counts those with at least one answer in each group.
    """

    estimate: float
    standard_error: float
    interval: Interval
    p_centred: float
    p_sign: float
    resample_mean: float
    p_published: float
    n_resamples: int


class _Cells(NamedTuple):
    values: Floats
    is_present: Floats


def bootstrap_mean(
    answers: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    blocks: Blocks = "participants_and_items",
    n_resamples: int = 10_000,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Bootstrap:
    """Bootstrap the mean of a participants × items matrix, NaN where an answer is missing.

    Two-way resampling of both margins is conservative, participants alone is liberal when items vary
    (Owen 2007): report both.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> result = bootstrap_mean(rng.normal(0.5, 1, (20, 10)), rng=rng, n_resamples=2000)
    >>> bool(result.interval.low < result.estimate < result.interval.high)
    True
    """
    means = resampled_means(answers, rng=rng, blocks=blocks, n_resamples=n_resamples)
    return bootstrap_summary(_mean(_cells(answers)), means, alternative=alternative, level=level)


def resampled_means(answers: npt.ArrayLike, *, rng: np.random.Generator, blocks: Blocks, n_resamples: int) -> Floats:
    """Return the mean of each resample, without resamples that have no answer."""
    cells = _cells(answers)

    def draw(size: int) -> Floats:
        people, items = _weights(cells, blocks, size, rng)
        return _weighted_means(cells, people, items)

    return _collect(draw, n_resamples, sum(cells.values.shape))


def bootstrap_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    blocks: Blocks = "participants_and_items",
    items_are_shared: bool = True,
    n_resamples: int = 10_000,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Bootstrap:
    """Bootstrap `mean(first) - mean(second)` of two groups of people, each a participants × items matrix.

    Parameters
    ----------
    items_are_shared
        Whether column j is the same item in both groups and so is drawn for both at once.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(1, 1, (20, 10)), rng.normal(0, 1, (15, 10))
    >>> bootstrap_difference(a, b, rng=rng, n_resamples=2000).p_centred < 0.01
    True
    """
    means = resampled_differences(
        first, second, rng=rng, blocks=blocks, items_are_shared=items_are_shared, n_resamples=n_resamples
    )
    estimate = _mean(_cells(first)) - _mean(_cells(second))
    return bootstrap_summary(estimate, means, alternative=alternative, level=level)


def resampled_differences(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    blocks: Blocks,
    items_are_shared: bool,
    n_resamples: int,
) -> Floats:
    """Return the difference of each resample of two groups, without resamples that lack answers of one group."""
    first_cells, second_cells = _cells(first), _cells(second)
    if items_are_shared and first_cells.values.shape[1] != second_cells.values.shape[1]:
        raise ValueError(
            f"first has {first_cells.values.shape[1]} items and second {second_cells.values.shape[1]}; shared items need one "
            "column each in both: fill with NaN, or set items_are_shared=False."
        )

    def draw(size: int) -> Floats:
        people, items = _weights(first_cells, blocks, size, rng)
        # The second group's items are always drawn, but used only if items are not shared.
        others, other_items = _weights(second_cells, blocks, size, rng)
        chosen = items if items_are_shared else other_items
        return _weighted_means(first_cells, people, items) - _weighted_means(second_cells, others, chosen)

    return _collect(draw, n_resamples, sum(first_cells.values.shape) + sum(second_cells.values.shape))


def _cells(answers: npt.ArrayLike) -> _Cells:
    array = np.asarray(answers, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] < 2:
        n_people = array.shape[0] if array.ndim else 1
        raise ValueError(f"Too few people: {n_people}; at least 2 are needed.")
    is_present = ~np.isnan(array)
    if not is_present.any():
        raise ValueError("There are no answers; at least one is needed.")
    # Missing answers become zeros, so that sums are matrix products; is_present counts the rest.
    return _Cells(np.where(is_present, array, 0.0), is_present.astype(np.float64))


def _mean(cells: _Cells) -> float:
    return float(cells.values.sum() / cells.is_present.sum())


def _weights(cells: _Cells, blocks: Blocks, size: int, rng: np.random.Generator) -> tuple[Floats, Floats | None]:
    n_people, n_items = cells.values.shape
    if blocks == "participants":
        return _counts(n_people, size, rng), None
    if blocks == "participants_and_items":
        return _counts(n_people, size, rng), _counts(n_items, size, rng)
    raise ValueError(f"blocks is {blocks!r}; it must be 'participants_and_items' or 'participants'.")


def _counts(n: int, size: int, rng: np.random.Generator) -> Floats:
    """Count how often each of n is drawn in n draws, in each of `size` resamples: multinomial weights."""
    # One bincount counts all resamples, each of which has its own range of numbers.
    draws = rng.integers(n, size=(size, n), dtype=np.int32)
    draws += np.arange(size, dtype=np.int32)[:, None] * n
    counts: Floats = np.bincount(draws.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
    return counts


def _weighted_means(cells: _Cells, people: Floats, items: Floats | None) -> Floats:
    if items is None:
        sums, counts = people @ cells.values.sum(axis=1), people @ cells.is_present.sum(axis=1)
    else:
        # A resample is a weighted sum over rows and columns, so no resample is ever built.
        sums = np.einsum("bi,bi->b", people @ cells.values, items)
        # Without gaps, every resample has the same number of answers, which saves a matrix product.
        is_complete = bool(cells.is_present.all())
        size = np.full(len(people), float(cells.values.size))
        counts = size if is_complete else np.einsum("bi,bi->b", people @ cells.is_present, items)
    means: Floats = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means


def _collect(draw: Callable[[int], Floats], n_resamples: int, width: int) -> Floats:
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples}; at least 1 is needed.")
    means = np.concatenate([draw(size) for size in _batches(n_resamples, width)])
    finite_means: Floats = means[np.isfinite(means)]
    return finite_means


def _batches(total: int, width: int) -> Iterator[int]:
    batch = max(1, _BATCH_CELLS // width)
    for start in range(0, total, batch):
        yield min(batch, total - start)


def bootstrap_summary(estimate: float, means: Floats, *, alternative: Alternative, level: float) -> Bootstrap:
    """Summarise resampled values of an estimate."""
    tail = (1 - check_level(level)) / 2
    low, high = (float(q) for q in np.quantile(means, [tail, 1 - tail]))
    # Sums of the same numbers in another order differ in their last bits: equal must count as equal.
    slack = 1e-12 * max(1.0, abs(estimate))
    centred = means - estimate
    below, above = float(np.mean(means <= slack)), float(np.mean(means >= -slack))
    if alternative == "two-sided":
        extreme, sign = np.abs(centred) >= abs(estimate) - slack, min(1.0, 2 * min(below, above))
    elif alternative == "greater":
        extreme, sign = centred >= estimate - slack, below
    elif alternative == "less":
        extreme, sign = centred <= estimate + slack, above
    else:
        raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")
    # Adding one counts the observed data as a resample, so that p is never zero (Davison & Hinkley 1997).
    p_centred = (1 + int(np.count_nonzero(extreme))) / (1 + means.size)
    error = float(means.std(ddof=1)) if means.size > 1 else float("nan")
    middle = float(means.mean())
    published = _farther_share(means - middle, middle, alternative)
    return Bootstrap(estimate, error, Interval(low, high), p_centred, sign, middle, published, means.size)


def false_positive_rate(n_people: Sequence[int], *, alpha: float = 0.05) -> float:
    """Return how often resampling people rejects a true null hypothesis about the mean of normal values.

    Resamples vary by the variance with n in the denominator, and are compared as if it were known: a normal test
    where Student's t is due, with an error that is too small by √((n - 1) / n).

    Examples
    --------
    >>> round(false_positive_rate([10]), 3), round(false_positive_rate([100, 100]), 3)
    (0.096, 0.053)
    """
    smallest, df = min(n_people), sum(n_people) - len(n_people)
    bound = stats.norm.isf(alpha / 2) * ((smallest - 1) / smallest) ** 0.5
    return float(2 * stats.t.sf(bound, df))


def _farther_share(centred: Floats, estimate: float, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return float(np.mean(np.abs(centred) > abs(estimate)))
    return float(np.mean(centred > estimate if alternative == "greater" else centred < estimate))
