"""Analysis of variance with any number of factors between and within people, and covariates of people.

Written here because statsmodels has no analysis of variance with factors of both kinds, no sphericity corrections and
no covariates within people. It is the univariate test of a multivariate linear model, as car's `Anova` makes it.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.anova_effect import AnovaEffect, Variation, anova_effect
from understudy.analyses.kernels.sphericity import Sphericity, orthonormal_contrasts, sphericity
from understudy.analyses.kernels.vectors import Floats, matrix
from understudy.deferred.scipy import linalg

FactorialSquares = Literal["III", "II"]


class Design(NamedTuple):
    """The factors of a design: labels of each person for those between, numbers of levels for those within."""

    between: tuple[tuple[str, ...], ...]
    """One tuple of labels, a label per person, for each factor between people."""
    within: tuple[int, ...]
    """Levels of each factor within people; the columns of values run through the last one fastest."""
    covariates: Floats | None = None
    """One column for each covariate of people; centred here, so that effects are those at its mean."""


class EffectFactors(NamedTuple):
    """Which factors form the effect, by their numbers in the design."""

    between: tuple[int, ...] = ()
    within: tuple[int, ...] = ()


class FactorialEffect(NamedTuple):
    """One line of the table; sphericity is None for effects between people."""

    line: AnovaEffect
    sphericity: Sphericity | None


def factorial_anova(
    values: npt.ArrayLike,
    design: Design,
    tested: EffectFactors,
    *,
    sums_of_squares: FactorialSquares = "III",
    level: float = 0.95,
) -> FactorialEffect:
    """Test one effect of a factorial design.

    Parameters
    ----------
    values
        People in rows, cells of the factors within people in columns; one column without such factors.
    sums_of_squares
        III compares the full model with one that lacks the effect (sum-to-zero codes); II leaves out all effects that
        contain it.

    Examples
    --------
    >>> design = Design((("a", "a", "a", "b", "b", "b"),), (2,))
    >>> values = [[1, 3], [2, 3], [3, 5], [2, 6], [3, 8], [5, 9]]
    >>> found = factorial_anova(values, design, EffectFactors((0,), (0,))).line
    >>> round(found.statistic, 3), found.df, found.error_df, round(found.p_value, 4)
    (32.0, 1, 4, 0.0048)
    """
    cells = matrix(values, "values", least=(2, 1))
    _refuse_strange(cells, design)
    terms = _between_terms(design, len(cells))
    full = np.column_stack([columns for _, columns in terms])
    rank = int(np.linalg.matrix_rank(full))
    if rank < full.shape[1]:
        raise ValueError(
            "Some combination of the factors between people has nobody, so the effects cannot be told apart."
        )
    error_df = len(cells) - rank
    if error_df < 1:
        raise ValueError(f"{len(cells)} people leave nothing to estimate the error of {rank} effects from.")
    contrasts = _within_contrasts(design.within, tested.within)
    projected = cells @ contrasts
    residual = projected - _fitted(full, projected)
    products = residual.T @ residual
    error = Variation(_without_rounding(float(np.trace(products)), cells), error_df * contrasts.shape[1])
    shape = _sphericity(products, error_df, error) if tested.within else None
    line = anova_effect(
        _explained(projected, *_compared(terms, frozenset(tested.between), sums_of_squares)),
        error,
        person_variation=float(((cells - _fitted(full, cells)) ** 2).sum()),
        level=level,
        sphericity=shape,
    )
    return FactorialEffect(line, shape)


def _explained(projected: Floats, with_effect: Floats, without: Floats) -> Variation:
    explained = _fitted(with_effect, projected) - _fitted(without, projected)
    df = (with_effect.shape[1] - without.shape[1]) * projected.shape[1]
    return Variation(float((explained**2).sum()), df)


def _without_rounding(error: float, cells: Floats) -> float:
    """Return 0 where rounding left a trace of error."""
    return error if error > 1e-24 * float((cells**2).sum()) else 0.0


def _sphericity(products: Floats, df: int, error: Variation) -> Sphericity:
    nan = float("nan")
    return sphericity(products, df) if error.sum_of_squares else Sphericity(nan, nan, nan, nan)


def _refuse_strange(cells: Floats, design: Design) -> None:
    n_cells = int(np.prod(design.within, dtype=np.int64))
    if cells.shape[1] != n_cells:
        raise ValueError(f"values has {cells.shape[1]} columns, but the factors within people have {n_cells} cells.")
    for labels in design.between:
        if len(labels) != len(cells):
            raise ValueError(f"A factor has labels of {len(labels)} people, but values has {len(cells)} rows.")


def _between_terms(design: Design, n: int) -> list[tuple[frozenset[int], Floats]]:
    """Return the columns of each effect between people; those of covariates belong to the intercept."""
    base = [np.ones((n, 1))]
    if design.covariates is not None:
        base.append(design.covariates - design.covariates.mean(axis=0))
    terms: list[tuple[frozenset[int], Floats]] = [(frozenset(), np.column_stack(base))]
    coded = [_sum_codes(labels) for labels in design.between]
    for members in _subsets(range(len(coded))):
        columns = np.ones((n, 1))
        for member in members:
            # Row-wise products of codes are the codes of an interaction.
            columns = (columns[:, :, None] * coded[member][:, None, :]).reshape(n, -1)
        terms.append((frozenset(members), columns))
    return terms


def _subsets(members: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(members) + 1):
        yield from combinations(members, size)


def _sum_codes(labels: tuple[str, ...]) -> Floats:
    levels = sorted(set(labels))
    if len(levels) < 2:
        raise ValueError(f"A factor between people has only the level {levels[0]!r}; at least 2 are needed.")
    codes = np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])
    coded: Floats = codes[[levels.index(label) for label in labels]]
    return coded


def _within_contrasts(levels: tuple[int, ...], tested: tuple[int, ...]) -> Floats:
    """Return orthonormal columns: differences for the tested factors, means over the others."""
    contrasts: Floats = np.ones((1, 1))
    for number, n in enumerate(levels):
        part = orthonormal_contrasts(n) if number in tested else np.full((n, 1), n**-0.5)
        contrasts = np.asarray(np.kron(contrasts, part), dtype=np.float64)
    return contrasts


def _compared(
    terms: list[tuple[frozenset[int], Floats]], effect: frozenset[int], squares: FactorialSquares
) -> tuple[Floats, Floats]:
    """Return the columns of the two models whose difference is the effect."""
    kept = [(members, columns) for members, columns in terms if squares == "III" or not effect < members]
    if not effect:
        # Effects within people alone: the intercept itself, which is the mean over groups.
        kept = [*terms] if squares == "III" else terms[:1]
        full = np.column_stack([columns for _, columns in kept])
        return full, full[:, 1:]
    with_effect = np.column_stack([columns for _, columns in kept])
    without = np.column_stack([columns for members, columns in kept if members != effect])
    return with_effect, without


def _fitted(columns: Floats, values: Floats) -> Floats:
    if not columns.shape[1]:
        return np.zeros_like(values)
    basis = linalg.orth(columns)
    fitted: Floats = basis @ (basis.T @ values)
    return fitted
