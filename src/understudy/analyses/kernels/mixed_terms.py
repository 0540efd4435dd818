"""Terms of mixed models: who a row belongs to, and which of its columns vary from level to level.

The fixed effects are a term too, with a single level: the same algebra then solves for both (Bates et al. 2015).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Bools, Floats, Ints, matrix

_SMALL = 0.1
"""Slopes next to the fit without them: from zero, no search would leave."""


class Term(NamedTuple):
    """Effects of every level of a grouping factor: one of each column, such as an intercept and a slope."""

    codes: Ints
    """The level of each row, from 0."""
    columns: Floats
    """One row per answer, one column per effect."""
    n_levels: int
    is_correlated: bool = True
    """Whether the effects of one level may correlate."""

    @property
    def width(self) -> int:
        """Return the number of effects per level."""
        return int(self.columns.shape[1])

    @property
    def size(self) -> int:
        """Return the number of effects of all levels."""
        return self.n_levels * self.width

    @property
    def free(self) -> Bools:
        """Return which entries of the triangular factor of the covariance are estimated."""
        full = np.tril(np.ones((self.width, self.width), dtype=np.bool_))
        return full if self.is_correlated else np.eye(self.width, dtype=np.bool_)


def random_term(labels: npt.ArrayLike, columns: npt.ArrayLike | None = None, *, is_correlated: bool = True) -> Term:
    """Return the random effects of a grouping factor: an intercept without `columns`.

    Examples
    --------
    >>> term = random_term(["b", "a", "b"])
    >>> term.codes.tolist(), term.n_levels, term.width
    ([1, 0, 1], 2, 1)
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    values = np.ones((codes.size, 1)) if columns is None else matrix(columns, "columns of a random term")
    if len(values) != codes.size:
        raise ValueError(f"A random term has {len(values)} rows of columns for {codes.size} labels.")
    if not 2 <= names.size < codes.size:
        raise ValueError(
            f"People or items make {names.size} group{'s' * (names.size != 1)} for {codes.size} answers; a mixed model needs at least 2 groups, "
            "and fewer groups than answers."
        )
    return Term(codes.astype(np.int64), values, int(names.size), is_correlated)


def fixed_term(predictors: Floats) -> Term:
    """Return the fixed effects as a term with one level."""
    return Term(np.zeros(len(predictors), dtype=np.int64), predictors, 1)


def chosen_rows(term: Term, rows: Bools) -> Term:
    """Return a term of some rows; levels without any of them are left out."""
    levels, codes = np.unique(term.codes[rows], return_inverse=True)
    return term._replace(codes=codes.astype(np.int64), columns=term.columns[rows], n_levels=int(levels.size))


def sums(term: Term, values: Floats) -> Floats:
    """Return Z'v: the sum of values times each column, within each level, as (levels, columns)."""
    if term.n_levels == 1:
        return (values @ term.columns)[None, :]
    total = np.empty((term.n_levels, term.width))
    for j in range(term.width):
        total[:, j] = np.bincount(term.codes, weights=term.columns[:, j] * values, minlength=term.n_levels)
    return total


def spread_out(term: Term, effects: Floats) -> Floats:
    """Return Zb: what the effects, given as (levels, columns), add to every row."""
    added: Floats
    if term.n_levels == 1:
        added = term.columns @ effects[0]
        return added
    # Column by column: gathering rows of a few numbers takes several times as long.
    added = term.columns[:, 0] * effects[:, 0].take(term.codes)
    for j in range(1, term.width):
        added += term.columns[:, j] * effects[:, j].take(term.codes)
    return added


def own_products(term: Term, weights: Floats) -> Floats:
    """Return the blocks of Z'WZ of one term, one per level."""
    k = term.width
    if term.n_levels == 1:
        return ((term.columns * weights[:, None]).T @ term.columns)[None, :, :]
    blocks = np.empty((term.n_levels, k, k))
    for a in range(k):
        weighted = weights * term.columns[:, a]
        for b in range(a, k):
            block = np.bincount(term.codes, weights=weighted * term.columns[:, b], minlength=term.n_levels)
            blocks[:, a, b] = blocks[:, b, a] = block
    return blocks


def shared_cells(first: Term, second: Term) -> Ints:
    """Return for each row the number of its pair of levels."""
    return first.codes if second.n_levels == 1 else first.codes * second.n_levels + second.codes


def cross_products(first: Term, second: Term, weights: Floats) -> Floats:
    """Return Z_1'WZ_2 as (levels, columns) of the first by (levels, columns) of the second."""
    cells, n_cells = shared_cells(first, second), first.n_levels * second.n_levels
    products = np.empty((first.n_levels, first.width, second.n_levels, second.width))
    for a in range(first.width):
        weighted = weights * first.columns[:, a]
        for b in range(second.width):
            counted = np.bincount(cells, weights=weighted * second.columns[:, b], minlength=n_cells)
            products[:, a, :, b] = counted.reshape(first.n_levels, second.n_levels)
    return products


def factors_from_parameters(parameters: Floats, terms: Sequence[Term]) -> list[Floats]:
    """Return the lower triangular factor of each term from its free entries, row by row."""
    factors, start = [], 0
    for term in terms:
        free = term.free
        count = int(free.sum())
        factor = np.zeros(free.shape)
        factor[free] = parameters[start : start + count]
        factors.append(factor)
        start += count
    return factors


def parameters_from_factors(factors: Sequence[Floats], terms: Sequence[Term]) -> Floats:
    """Return the free entries of the factors of all terms as one vector."""
    return np.concatenate([factor[term.free] for factor, term in zip(factors, terms, strict=True)])


def start_parameters(terms: Sequence[Term], scale: float = 0.9) -> Floats:
    """Return where the search starts: independent effects of equal size; a first step of length 1 must not end at 0."""
    return parameters_from_factors([scale * np.eye(term.width) for term in terms], terms)


def intercepts_of(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms with their first columns alone."""
    return tuple(term._replace(columns=term.columns[:, :1]) for term in terms)


def further_starts(terms: Sequence[Term], intercepts: Floats) -> list[Floats]:
    """Return where else a search can begin: at the fit with intercepts alone, and at small effects and large ones."""
    near = [np.diag([value, *[_SMALL] * (term.width - 1)]) for value, term in zip(intercepts, terms, strict=True)]
    return [parameters_from_factors(near, terms), *(start_parameters(terms, scale) for scale in (0.3, 2.5))]


def signed(parameters: Floats, terms: Sequence[Term]) -> Floats:
    """Return the same covariances with diagonals of zero or more, since the sign of a column is arbitrary."""
    factors = factors_from_parameters(parameters, terms)
    flipped = [factor * np.where(np.diag(factor) < 0, -1.0, 1.0) for factor in factors]
    return parameters_from_factors(flipped, terms)
