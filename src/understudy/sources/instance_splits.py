"""Instance splits: which instances a model learns from, and which are held out."""

from typing import NamedTuple

import numpy as np

from understudy.sources.arrays import Ints


class Split(NamedTuple):
    """Indices of the training and held-out instances, in the order in which they are used."""

    train: Ints
    held_out: Ints


def tenth_held_out(n: int) -> Split:
    """Hold out the first tenth of a fixed shuffle: the split of Ross et al. (2021)."""
    order = np.arange(n, dtype=np.int64)
    # The published split was made by this legacy generator; a new one would hold out other instances.
    np.random.RandomState(0).shuffle(order)
    n_held_out = n // 10
    return Split(train=order[n_held_out:], held_out=order[:n_held_out])
