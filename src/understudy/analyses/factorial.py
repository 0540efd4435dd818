"""Factorial analyses of variance: one effect of several factors between and within people, of values or aligned ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from understudy.analyses.anova_lines import SphericityCorrection, anova_estimate
from understudy.analyses.kernels.aligned_ranks import aligned_ranks
from understudy.analyses.kernels.factorial import Design, EffectFactors, FactorialSquares, factorial_anova
from understudy.analyses.results import notes_of, refuse_direction, summaries_of
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    levels_in,
    numbers,
    refuse_repeats,
    rows_of_levels,
    text,
    varies_within,
)
from understudy.analyses.scales import EITHER_WAY, NUMBERS, RANKED
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Floats, PlannedData, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale

_FEW_VALUES = (
    "Aligned ranks of few different ratings can show the effect of another factor as one of this factor, most of all near "
    "an end of the scale (Tsandilas & Casiez 2024). ordinal_mixed does not."
)
_MOST_RATINGS = 11
"""A scale from 0 to 10."""


@dataclass(frozen=True)
class CrossedCells:
    """Complete people of a factorial design, and which of its factors form the effect."""

    values: Floats
    """People × cells within people."""
    design: Design
    tested: EffectFactors
    rows: Table
    """Of complete people only, sorted by person and then by cell, as `values` is read row by row."""
    factors: tuple[str, ...]
    notes: tuple[str, ...]


class _Factorial(Record):
    effect: tuple[str, ...] = ()
    """The factors whose effect is tested; the interaction of all when empty."""
    further: tuple[str, ...] = ()
    """Factors beyond `factor` and `crossed_with`."""
    sphericity: SphericityCorrection = "gg"
    sums_of_squares: FactorialSquares = "III"
    """Matters for groups of unequal size: III weighs groups equally, II leaves out interactions with the effect."""
    confidence: float = 0.95
    scales: ClassVar[frozenset[Scale]]

    @property
    def fit(self) -> Fit:
        """Return the fit: any factors, between or within people, one value per person and cell."""
        return Fit(
            self.scales,
            factor="any",
            crossed_with="optional",
            directions=EITHER_WAY,
            reads=tuple((name, None) for name in (*self.further, *self.effect)),
        )

    def tested(self, cells: CrossedCells, values: Floats) -> Estimate:
        """Return the line of the effect for these values of the cells."""
        found = factorial_anova(
            values, cells.design, cells.tested, sums_of_squares=self.sums_of_squares, level=self.confidence
        )
        correction = "none" if found.sphericity is None else self.sphericity
        estimate = anova_estimate(found.line, found.sphericity, correction=correction, level=self.confidence)
        groups = {
            ", ".join(map(str, key if isinstance(key, tuple) else (key,))): numbers(part)
            for key, part in cells.rows.groupby([*cells.factors], sort=False, observed=True)
        }
        return estimate.model_copy(
            update={
                "n_sessions": len(cells.values),
                "n_rows": cells.values.size,
                "groups": summaries_of(dict(sorted(groups.items())), self.confidence),
                "notes": notes_of(cells.notes, estimate.notes),
            }
        )

    def cells(self, table: Table, hypothesis: Hypothesis) -> CrossedCells:
        """Arrange rows as people × cells."""
        first = factor_of(hypothesis)
        named = (first, hypothesis.crossed_with, *self.further, *self.effect)
        factors = tuple(dict.fromkeys(name for name in named if name is not None))
        rows = rows_of_levels(table, first, compared_levels(table, hypothesis))
        return crossed_cells(rows, factors, self.effect or factors)


@register("analyses", "factorial_anova")
class FactorialAnova(_Factorial):
    """Tests a main effect or an interaction of two or more factors, each between or within people."""

    estimand: ClassVar[str] = "differences between the means of cells"
    scales: ClassVar[frozenset[Scale]] = NUMBERS

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the F test of the effect, with partial and generalized eta squared."""
        refuse_direction(hypothesis.direction, "An F test")
        cells = self.cells(table, hypothesis)
        return self.tested(cells, cells.values)


@register("analyses", "aligned_rank_anova")
class AlignedRankAnova(_Factorial):
    """Tests a main effect or an interaction by the aligned rank transform, for ratings and skewed numbers."""

    estimand: ClassVar[str] = "differences between the mean ranks of aligned values, not between means"
    scales: ClassVar[frozenset[Scale]] = RANKED

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the F test of the effect on aligned ranks; the groups hold the values themselves."""
        refuse_direction(hypothesis.direction, "An F test")
        cells = self.cells(table, hypothesis)
        factors = [text(cells.rows, name).tolist() for name in cells.factors]
        tested = tuple(cells.factors.index(name) for name in self.effect or cells.factors)
        values = numbers(cells.rows)
        ranks = aligned_ranks(values, factors, tested)
        estimate = self.tested(cells, ranks.reshape(cells.values.shape))
        n_values = len(np.unique(values))
        note = f"The values contain {n_values} different numbers. {_FEW_VALUES}"
        is_coarse = len(factors) > 1 and n_values <= _MOST_RATINGS
        return estimate.model_copy(update={"notes": notes_of(estimate.notes, note if is_coarse else "")})

    def cautions(self, hypothesis: Hypothesis, planned: PlannedData) -> tuple[str, ...]:
        """Return that ratings do not suit it where another factor may have an effect."""
        has_others = hypothesis.crossed_with is not None or bool(self.further)
        return (_FEW_VALUES,) if planned.scale == "ordinal" and has_others else ()


def crossed_cells(rows: Table, factors: tuple[str, ...], effect: tuple[str, ...]) -> CrossedCells:
    """Arrange rows as people × cells of the factors within people; people without every cell are left out and noted."""
    rows = rows.dropna(subset=list(factors))
    within = tuple(name for name in factors if varies_within(rows, name))
    between = tuple(name for name in factors if name not in within)
    refuse_repeats(rows, ["participant", *within])
    levels = {name: levels_in(rows, name) for name in factors}
    lacking = [f"{name!r} has only {', '.join(found)}" for name, found in levels.items() if len(found) < 2]
    if lacking:
        raise ValueError(f"At least 2 levels of each factor are needed; {'; '.join(lacking)}.")
    codes = {name: pd.Index(levels[name]).get_indexer(pd.Index(text(rows, name))) for name in within}
    shape = tuple(len(levels[name]) for name in within)
    column = np.ravel_multi_index([codes[name] for name in within], shape) if within else np.zeros(len(rows), dtype=int)
    placed = rows.assign(_person=text(rows, "participant"), _cell=column).sort_values(["_person", "_cell"])
    n_cells = int(np.prod(shape, dtype=np.int64))
    n_of_person = placed.groupby("_person")["_cell"].transform("size")
    complete = placed[n_of_person == n_cells]
    n_people, n_left = placed["_person"].nunique(), placed["_person"].nunique() - complete["_person"].nunique()
    if n_left == n_people:
        raise ValueError(f"No participant has a value in every cell of {' and '.join(map(repr, within))}.")
    values = numbers(complete).reshape(-1, n_cells)
    people = complete.drop_duplicates("_person")
    design = Design(tuple(tuple(text(people, name)) for name in between), shape)
    tested = EffectFactors(
        tuple(number for number, name in enumerate(between) if name in effect),
        tuple(number for number, name in enumerate(within) if name in effect),
    )
    note = f"Left out: {n_left} of {n_people} participants without a value in every cell."
    return CrossedCells(values, design, tested, complete, factors, (note,) if n_left else ())
