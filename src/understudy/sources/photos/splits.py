"""Splits of photos: the same share of every class for training and for tests, by a recorded seed."""

from collections.abc import Sequence

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Ints
from understudy.schema.seeds import seed_from
from understudy.sources.instance_splits import Split


def stratified_split(labels: Sequence[str], *, test_share: float, seed: int) -> Split:
    """Hold out the same share of each class, rounded, and at least one photo; indices are in their own order.

    Each class has its own random choice, so a class that is added or dropped leaves the others as they were.
    """
    train: list[int] = []
    held_out: list[int] = []
    found = np.asarray(labels)
    for name in sorted(set(labels)):
        places = np.flatnonzero(found == name)
        if len(places) < 2:
            raise MaterialsError(f"The class {name!r} has one photo, which cannot be in both parts. Add photos of it.")
        order = np.random.default_rng(seed_from(seed, "split", name)).permutation(places)
        n_test = min(max(1, round(test_share * len(places))), len(places) - 1)
        held_out += order[:n_test].tolist()
        train += order[n_test:].tolist()
    return Split(train=_sorted(train), held_out=_sorted(held_out))


def _sorted(places: list[int]) -> Ints:
    return np.array(sorted(places), dtype=np.int64)
