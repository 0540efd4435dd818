"""Crossed random intercepts: which level of each grouping factor every row belongs to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats, Ints


class Crossed(NamedTuple):
    """The incidence matrix Z of all factors side by side, stored as codes.

    `codes` has one row per answer and one column per factor, with the column numbers of Z; `factors` gives for
    each column of Z the factor it belongs to.
    """

    codes: Ints
    factors: Ints

    @property
    def n_levels(self) -> int:
        """Return the number of columns of Z."""
        return int(self.factors.size)

    @property
    def n_factors(self) -> int:
        """Return the number of grouping factors."""
        return int(self.codes.shape[1])


def crossed_from_labels(groups: Sequence[npt.ArrayLike], n: int) -> Crossed:
    """Code the labels of one or more grouping factors, each with 2 to n - 1 levels for n rows.

    Examples
    --------
    >>> design = crossed_from_labels([["a", "a", "b"], [7, 8, 8]], 3)
    >>> design.codes.tolist(), design.factors.tolist()
    ([[0, 2], [0, 3], [1, 3]], [0, 0, 1, 1])
    """
    if not groups:
        raise ValueError("No grouping factor was given; a mixed model needs at least one.")
    columns, factors, start = [], [], 0
    for number, labels in enumerate(groups):
        names, codes = np.unique(np.asarray(labels), return_inverse=True)
        if codes.shape != (n,):
            raise ValueError(f"Grouping factor {number + 1} labels {codes.size} rows; {n} are needed.")
        if not 2 <= names.size < n:
            raise ValueError(
                f"People or items make {names.size} group{'s' * (names.size != 1)} for {n} answers; a mixed model needs at least 2 groups, "
                "and fewer groups than answers."
            )
        columns.append(codes.astype(np.int64) + start)
        factors.append(np.full(names.size, number, dtype=np.int64))
        start += int(names.size)
    return Crossed(np.column_stack(columns), np.concatenate(factors))


def level_sums(design: Crossed, columns: Floats) -> Floats:
    """Return Z'A: the sum of each column of A within each level."""
    sums = np.empty((design.n_levels, columns.shape[1]))
    # Z is never built: a bincount per column takes its place.
    for j in range(columns.shape[1]):
        sums[:, j] = sum(
            np.bincount(codes, weights=columns[:, j], minlength=design.n_levels) for codes in design.codes.T
        )
    return sums


def factor_sums(design: Crossed, per_level: Floats) -> Floats:
    """Return the sum of a quantity per level over the levels of each factor."""
    sums = np.bincount(design.factors, weights=per_level, minlength=design.n_factors)
    return sums.astype(np.float64, copy=False)
