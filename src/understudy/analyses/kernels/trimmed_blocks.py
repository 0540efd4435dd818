"""The block bootstrap of Hase & Bansal (2020): draw blocks until there are enough rows, and cut the last one.

First, blocks of people are drawn until there are at least as many rows as in the data, and the rest is trimmed; from
the result, blocks of items are drawn in the same way. If a person's block is not tied to a condition, conditions grow
and shrink between resamples, and one can vanish: the published numbers were computed like this, and that is why it is
not the default.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats, Ints
from understudy.deferred.scipy import sparse

# The largest arrays of a batch hold this many numbers (16 MB).
_BATCH_CELLS = 2_000_000


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
    once = _counts(drawn, np.ones(drawn.shape, dtype=np.bool_))
    sizes = _sums_by_item(once, items, n_items)
    times, last, left = _item_draws(sizes, n_rows, rng)
    is_last = items[drawn] == last[:, None]
    is_kept = is_last & (np.cumsum(is_last, axis=1) <= left[:, None])
    return once, once * times[:, items] + _counts(drawn, is_kept)


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


def _counts(rows: Ints, is_kept: npt.NDArray[np.bool_]) -> Floats:
    size, n_rows = rows.shape
    flat = (rows + np.arange(size)[:, None] * n_rows)[is_kept]
    counts: Floats = np.bincount(flat, minlength=size * n_rows).reshape(size, n_rows).astype(np.float64)
    return counts


def _sums_by_item(weights: Floats, items: Ints, n_items: int) -> Floats:
    sums: Floats = weights @ np.eye(n_items)[items]
    return sums
