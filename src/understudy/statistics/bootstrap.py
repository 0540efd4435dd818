"""Bootstraps of means over people, and over people and items together."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import sparse, special, stats
from understudy.statistics.arrays import Floats, Ints
from understudy.statistics.distributions import Alternative, Interval, check_level

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


# Standard error of a mean over people and items that are both samples, and resamples rescaled to it.
#
# Resampling people and items together counts the noise of single answers three times (Owen 2007), and resampling people
# alone ignores that items vary. The mean of crossed people and items has variance σ²_p / n + σ²_i / m + σ²_e / nm: sums
# of squares over people and over items contain σ²_e once each, so V_people + V_items - V_answers removes the excess
# (Cameron, Gelbach & Miller 2011).


class CrossedSpread(NamedTuple):
    """The standard error of a mean (difference), its degrees of freedom and the three variances behind it."""

    standard_error: float
    df: float
    people: float
    items: float
    answers: float


class _Part(NamedTuple):
    """The contribution of one group of people: its variances, and the influence of each item on its mean."""

    people: float
    people_df: int
    answers: float
    answers_df: int
    influences: Floats


def crossed_spread(groups: Sequence[npt.ArrayLike]) -> CrossedSpread:
    """Return the spread of a participants × items matrix's mean, or of the first mean minus the second.

    Column j is the same item in both groups; NaN marks a missing answer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = rng.normal(0, 1, (20, 1)) + rng.normal(0, 1, (1, 30)) + rng.normal(0, 1, (20, 30))
    >>> spread = crossed_spread([table])
    >>> bool(0.15 < spread.standard_error < 0.45), bool(spread.df > 15)  # the true one is 0.29
    (True, True)
    """
    parts = [_part(np.asarray(group, dtype=np.float64), sign) for group, sign in zip(groups, (1.0, -1.0), strict=False)]
    influences = np.sum([part.influences for part in parts], axis=0)
    n_items = int(np.count_nonzero(np.any([~np.isnan(np.asarray(group)).all(axis=0) for group in groups], axis=0)))
    people = sum(part.people for part in parts)
    answers = sum(part.answers for part in parts)
    items = float((influences**2).sum()) * n_items / (n_items - 1) if n_items > 1 else answers
    # A component below zero counts as zero: both kept give people + items - answers, one gives itself, none answers.
    terms = [(max(people - answers, 0.0) > 0, people, _pooled_df([(part.people, part.people_df) for part in parts])),
             (max(items - answers, 0.0) > 0, items, n_items - 1.0)]  # fmt: skip
    weight = 1.0 - sum(is_kept for is_kept, _, _ in terms)
    variance = weight * answers + sum(value for is_kept, value, _ in terms if is_kept)
    answers_df = _pooled_df([(part.answers, part.answers_df) for part in parts])
    # Satterthwaite's (1946) degrees of freedom of a sum of variances.
    denominator = (weight * answers) ** 2 / answers_df + sum(value**2 / df for is_kept, value, df in terms if is_kept)
    df = variance**2 / denominator if denominator > 0 else float("inf")
    return CrossedSpread(float(np.sqrt(variance)), float(df), people, items, answers)


def calibrated(resamples: Floats, estimate: float, spread: CrossedSpread) -> Floats:
    """Rescale two-way resamples to the spread of a crossed mean, with the tails of Student's t for few people.

    The order of resamples and the skew of their distribution are unchanged.
    """
    scale = float(resamples.std(ddof=1))
    if scale == 0 or spread.standard_error == 0:
        return resamples
    # Beyond eight standard deviations the normal tail is zero in double precision.
    z = np.clip((resamples - estimate) / scale, -8, 8)
    # Normal scores become t scores with the same tail area.
    t = np.asarray(special.stdtrit(spread.df, special.ndtr(z)), dtype=np.float64)
    return estimate + spread.standard_error * t


def _part(table: Floats, sign: float) -> _Part:
    is_present = ~np.isnan(table)
    answered = table[is_present.any(axis=1)]
    is_present = is_present[is_present.any(axis=1)]
    n_people, n = len(answered), int(is_present.sum())
    centred = np.where(is_present, answered - np.nanmean(answered), 0.0)
    rows, columns = is_present.sum(axis=1), is_present.sum(axis=0)
    row_means = centred.sum(axis=1) / rows
    column_means = np.divide(centred.sum(axis=0), columns, out=np.zeros(columns.size), where=columns > 0)
    residuals = np.where(is_present, centred - row_means[:, None] - column_means, 0.0)
    people = float(((centred.sum(axis=1) / n) ** 2).sum()) * n_people / (n_people - 1)
    df = n - n_people - int(np.count_nonzero(columns)) + 1
    # With a single item, or a single answer each, people's means contain all the noise.
    answers = float((residuals**2).sum()) / df / n if df > 0 else people
    return _Part(people, n_people - 1, answers, max(df, n_people - 1), sign * centred.sum(axis=0) / n)


def _pooled_df(parts: Sequence[tuple[float, int]]) -> float:
    """Return Welch's degrees of freedom of a sum of variances."""
    denominator = sum(value**2 / df for value, df in parts)
    return sum(value for value, _ in parts) ** 2 / denominator if denominator > 0 else float(sum(df for _, df in parts))


# The block bootstrap of Hase & Bansal (2020): draw blocks until there are enough rows, and cut the last one.
#
# First, blocks of people are drawn until there are at least as many rows as in the data, and the rest is trimmed; from
# the result, blocks of items are drawn in the same way. If a person's block is not tied to a condition, conditions grow
# and shrink between resamples, and one can vanish: the published numbers were computed like this, and that is why it is
# not the default.

# The largest arrays of a batch hold this many numbers (16 MB).


class TrimmedSums(NamedTuple):
    """Sums over the rows of each resample, after drawing people, and after drawing items too."""

    people: Floats
    people_and_items: Floats


def trimmed_sums(
    people: npt.ArrayLike, items: npt.ArrayLike, features: Floats, *, rng: np.random.Generator, n_resamples: int
) -> TrimmedSums:
    """Return sums of shape (resamples, features); every resample has as many rows as the data.

    Parameters
    ----------
    people, items
        The label of each row's block; labels can be any values.
    features
        The values to sum, one row per row of data.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sums = trimmed_sums(list("aab"), [1, 2, 1], np.ones((3, 1)), rng=rng, n_resamples=4)
    >>> sums.people.ravel(), sums.people_and_items.ravel()
    (array([3., 3., 3., 3.]), array([3., 3., 3., 3.]))
    """
    batches = trimmed_batches(people, items, features, rng=rng, n_resamples=n_resamples)
    return TrimmedSums(*(np.concatenate(column) for column in zip(*batches, strict=True)))


def trimmed_batches(
    people: npt.ArrayLike,
    items: npt.ArrayLike,
    features: Floats | sparse.csr_array,
    *,
    rng: np.random.Generator,
    n_resamples: int,
) -> Iterator[TrimmedSums]:
    """Yield the same sums, batch by batch, so that many features need little memory."""
    first = np.unique(np.asarray(people), return_inverse=True)[1]
    second = np.unique(np.asarray(items), return_inverse=True)[1]
    if not first.size == second.size == features.shape[0] or first.size < 2:
        sizes = f"{first.size}, {second.size} and {features.shape[0]}"
        raise ValueError(f"people, items and features have {sizes} rows; equally many, and 2 or more, are needed.")
    size = max(1, _BATCH_CELLS // first.size)
    for start in range(0, n_resamples, size):
        weights = _batch(first, second, min(size, n_resamples - start), rng)
        yield TrimmedSums(*(np.asarray(counts @ features, dtype=np.float64) for counts in weights))


def _batch(people: Ints, items: Ints, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return how often each row is in each resample, after each of the two draws."""
    n_rows, n_items = people.size, int(items.max()) + 1
    drawn = _people_rows(people, size, rng)
    once = _trimmed_blocks_counts(drawn, np.ones(drawn.shape, dtype=np.bool_))
    sizes = _sums_by_item(once, items, n_items)
    times, last, left = _item_draws(sizes, n_rows, rng)
    is_last = items[drawn] == last[:, None]
    is_kept = is_last & (np.cumsum(is_last, axis=1) <= left[:, None])
    return once, once * times[:, items] + _trimmed_blocks_counts(drawn, is_kept)


def _people_rows(people: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Return the rows of each resample in the order in which their blocks were drawn."""
    n_rows, n_people = people.size, int(people.max()) + 1
    order = np.argsort(people, kind="stable")
    lengths = np.bincount(people, minlength=n_people)
    starts = np.cumsum(lengths) - lengths
    # Twice as many blocks as people is nearly always enough; the loop draws more if not.
    draws = rng.integers(n_people, size=(size, 2 * n_people))
    while lengths[draws].sum(axis=1).min() < n_rows:
        draws = np.hstack([draws, rng.integers(n_people, size=(size, n_people))])
    ends = np.minimum(np.cumsum(lengths[draws], axis=1), n_rows)
    taken = np.diff(ends, axis=1, prepend=0)
    flat = taken.ravel()
    first = np.repeat(starts[draws].ravel(), flat)
    # Running numbers within each drawn block, without a loop over blocks.
    offset = np.arange(size * n_rows) - np.repeat(np.cumsum(flat) - flat, flat)
    rows: Ints = order[first + offset].reshape(size, n_rows)
    return rows


def _item_draws(sizes: Floats, n_rows: int, rng: np.random.Generator) -> tuple[Floats, Ints, Ints]:
    """Return how often each item block occurs whole, which one is cut, and how many of its rows are left."""
    size, n_items = sizes.shape
    is_there = sizes > 0
    # Sorting puts the items that occur first, so that a random number below their count picks one of them.
    listed = np.argsort(~is_there, axis=1, kind="stable")
    n_there = is_there.sum(axis=1)
    draws = np.empty((size, 0), dtype=np.int64)
    lengths = np.empty((size, 0))
    while not draws.size or lengths.sum(axis=1).min() < n_rows:
        more = (rng.random((size, n_items)) * n_there[:, None]).astype(np.int64)
        draws = np.hstack([draws, np.take_along_axis(listed, more, axis=1)])
        lengths = np.take_along_axis(sizes, draws, axis=1)
    ends = np.cumsum(lengths, axis=1)
    cut = (ends < n_rows).sum(axis=1)
    each = np.arange(size)
    is_whole = np.arange(draws.shape[1]) < cut[:, None]
    times = np.bincount((draws + each[:, None] * n_items)[is_whole], minlength=size * n_items)
    left = n_rows - (ends[each, cut] - lengths[each, cut])
    return times.reshape(size, n_items).astype(np.float64), draws[each, cut], left.astype(np.int64)


def _trimmed_blocks_counts(rows: Ints, is_kept: npt.NDArray[np.bool_]) -> Floats:
    size, n_rows = rows.shape
    flat = (rows + np.arange(size)[:, None] * n_rows)[is_kept]
    counts: Floats = np.bincount(flat, minlength=size * n_rows).reshape(size, n_rows).astype(np.float64)
    return counts


def _sums_by_item(weights: Floats, items: Ints, n_items: int) -> Floats:
    sums: Floats = weights @ np.eye(n_items)[items]
    return sums
