"""Case splits: which cases train a model, which select it, and which test it."""

import math

import numpy as np

from understudy.sources.cases import Ints

Places = tuple[Ints, Ints, Ints]
"""Indices of the cases for training, validation and test."""


def shuffle_split(n: int, share: float, random: np.random.RandomState) -> tuple[Ints, Ints]:
    """Split indices at random like scikit-learn's shuffle split: the rest, then the share, rounded up."""
    order = random.permutation(n).astype(np.int64)
    n_second = math.ceil(share * n)
    return order[n_second:], order[:n_second]


def grouped_split(groups: Ints, shares: tuple[float, float], random: np.random.RandomState) -> Places:
    """Split indices so that no group is in two parts; shares are those of validation and test.

    Groups are assigned in random order, first to the test, until each share of the cases is reached.
    """
    _, group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = random.permutation(len(sizes))
    # Groups are assigned whole, so shares are only reached approximately.
    filled = np.cumsum(sizes[order])
    validation, test = shares
    n_test, n_validation = test * len(groups), validation * len(groups)
    parts = np.zeros(len(sizes), dtype=np.int64)
    parts[order] = np.where(filled <= n_test, 2, np.where(filled <= n_test + n_validation, 1, 0))
    places = random.permutation(len(groups)).astype(np.int64)
    part_of = parts[group_of[places]]
    return places[part_of == 0], places[part_of == 1], places[part_of == 2]


def row_groups(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Ints:
    """Number rows so that equal ones have the same number."""
    _, group_of = np.unique(rows, axis=0, return_inverse=True)
    return np.asarray(group_of, dtype=np.int64).reshape(-1)
