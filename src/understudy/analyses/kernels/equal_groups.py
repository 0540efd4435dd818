"""Groups with the same counts and predictors: they share one term of the likelihood, so it is computed once."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.glmm_batch_laplace import Batch
from understudy.analyses.kernels.vectors import Ints

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
