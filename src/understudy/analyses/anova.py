"""Analyses of variance and covariance: between, within and mixed designs, one factor or several, ranks too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from understudy.analyses.results import (
    EITHER_WAY,
    EQUAL_VARIANCES,
    NORMAL_GROUPS,
    NORMAL_RESIDUALS,
    NUMBERS,
    RANKED,
    SPHERICITY,
    alternative_of,
    columns_by_name,
    difference_name,
    effect_size,
    finite,
    finite_details,
    limits,
    moved_limit_note,
    notes_of,
    omnibus_estimate,
    refuse_direction,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    groups_of,
    levels_in,
    numbers,
    refuse_repeats,
    rows_of_levels,
    text,
    varies_within,
    wide,
)
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Floats, PlannedData, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Ref, Scale
from understudy.statistics.anova import (
    AnovaEffect,
    Design,
    EffectFactors,
    FactorialSquares,
    Sphericity,
    aligned_ranks,
    factorial_anova,
    one_way_anova,
    welch_anova,
)
from understudy.statistics.anova import OneWayAnova as OneWayTest
from understudy.statistics.distributions import p_from_f, p_from_t, t_quantile, wald_interval
from understudy.statistics.repeated_anova import SumsOfSquares, repeated_measures_anova
from understudy.statistics.repeated_anova import mixed_anova as split_plot

# Estimates from lines of an analysis-of-variance table, with sphericity corrections.

SphericityCorrection: TypeAlias = Literal["none", "gg", "hf"]
_NO_ERROR = "No test: the values leave no error variance to compare the effect with."


def anova_estimate(
    line: AnovaEffect, sphericity: Sphericity | None, *, correction: SphericityCorrection, level: float
) -> Estimate:
    """Return F, p and effect sizes of a line; degrees of freedom are corrected like the p-value.

    The caller sets the numbers of people and rows.
    """
    p_value = {"none": line.p_value, "gg": line.p_greenhouse_geisser, "hf": line.p_huynh_feldt}[correction]
    epsilon = _epsilon(sphericity, correction)
    eta = effect_size("partial eta squared", line.partial_eta_squared, line.partial_eta_squared_interval, level)
    # The corrected p-value belongs to the corrected degrees of freedom, so both are reported.
    df = (line.df * epsilon, line.error_df * epsilon)
    return omnibus_estimate(eta, line._replace(p_value=p_value), statistic="F", df=df).model_copy(
        update={
            "effect_sizes": (eta, effect_size("generalized eta squared", line.generalized_eta_squared, None, level)),
            "details": _details(line, sphericity),
            "notes": notes_of(_NO_ERROR if spread_note(p_value) else "", moved_limit_note(eta)),
        }
    )


def _epsilon(sphericity: Sphericity | None, correction: SphericityCorrection) -> float:
    if sphericity is None or correction == "none":
        return 1.0
    epsilon = sphericity.greenhouse_geisser if correction == "gg" else sphericity.huynh_feldt
    # Huynh and Feldt's epsilon can exceed 1, where it means no correction.
    return epsilon if math.isnan(epsilon) else min(epsilon, 1.0)


def _details(line: AnovaEffect, sphericity: Sphericity | None) -> dict[str, float | None]:
    squares = {
        "sum_of_squares": line.sum_of_squares,
        "error_sum_of_squares": line.error_sum_of_squares,
    }
    if sphericity is None:
        return finite_details(squares)
    return finite_details(
        squares
        | {
            "uncorrected_df": line.df,
            "uncorrected_error_df": line.error_df,
            "uncorrected_p": line.p_value,
            "greenhouse_geisser_epsilon": sphericity.greenhouse_geisser,
            "huynh_feldt_epsilon": sphericity.huynh_feldt,
            "mauchly_w": sphericity.mauchly_w,
            "mauchly_p": sphericity.mauchly_p,
        }
    )


@register("analyses", "ancova")
class Ancova(Record):
    """Compares the means of groups of people, adjusted for the outcome in `other` (the covariate)."""

    estimand: ClassVar[str] = "differences of group means among people with the same covariate"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", needs=frozenset({"other"}), other_scales=NUMBERS)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the adjusted difference of two groups with its t test, or F for more groups."""
        groups = groups_of(table, hypothesis)
        factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
        if len(levels) > 2:
            refuse_direction(hypothesis.direction, "An F test of several groups")
        rows = rows_of_levels(table, factor, levels)
        covariate, values = numbers(rows, "other"), numbers(rows)
        labels = tuple(text(rows, factor))
        design = Design((labels,), (), covariate[:, None])
        if np.ptp(covariate) == 0:
            raise ValueError(f"The covariate {hypothesis.other!r} does not vary, so nothing can be adjusted for it.")
        found = factorial_anova(values[:, None], design, EffectFactors((0,)), level=self.confidence)
        estimate = anova_estimate(found.line, None, correction="none", level=self.confidence)
        if len(levels) == 2:
            estimate = self._adjusted(estimate, rows, (levels[0], levels[1]), hypothesis)
        p_slopes = _slopes_p(values, covariate, np.array(labels))
        unequal = (
            f"The slope of the covariate differs between groups (p = {p_slopes:.3f}): the adjusted difference is that at "
            "its mean and not everywhere."
        )
        return estimate.model_copy(
            update={
                "n_sessions": len(rows),
                "n_rows": len(rows),
                "groups": summaries_of(groups, self.confidence),
                "details": estimate.details | {"p_equal_slopes": finite(p_slopes)},
                "notes": notes_of(estimate.notes, unequal if p_slopes < 0.05 else ""),
            }
        )

    def _adjusted(self, line: Estimate, rows: Table, levels: tuple[str, str], hypothesis: Hypothesis) -> Estimate:
        is_first = (text(rows, factor_of(hypothesis)) == levels[0]).to_numpy(dtype=np.float64)
        covariate = numbers(rows, "other")
        design = np.column_stack([np.ones(len(rows)), is_first, covariate - covariate.mean()])
        inverse = np.linalg.pinv(design)
        # The last level's mean at the mean covariate, the first's above it, and the slope.
        adjusted, difference, slope = (float(value) for value in inverse @ numbers(rows))
        if line.p_value is None:
            return line.model_copy(update={"effect": finite(difference), "effect_name": _name(levels)})
        misfit = _misfit(numbers(rows), design)
        df = float(len(rows) - misfit.rank)
        error = float(np.linalg.norm(inverse[1])) * (misfit.squares / df) ** 0.5
        t = difference / error
        return line.model_copy(
            update={
                "effect": difference,
                "effect_name": _name(levels),
                "interval": limits(wald_interval(difference, t_quantile(df, self.confidence) * error), self.confidence),
                "statistic": t,
                "statistic_name": "t",
                "df": (df,),
                "p_value": p_from_t(t, df, alternative_of(hypothesis.direction)),
                "details": {
                    "standard_error": error,
                    f"adjusted_mean_{levels[0]}": adjusted + difference,
                    f"adjusted_mean_{levels[1]}": adjusted,
                    "slope": slope,
                },
            }
        )


def _name(levels: tuple[str, str]) -> str:
    return difference_name(levels, "adjusted mean difference")


def _slopes_p(values: Floats, covariate: Floats, labels: Floats) -> float:
    """Return the p-value of the interaction of group and covariate: whether one slope fits all groups."""
    codes = np.column_stack([(labels == label).astype(np.float64) for label in np.unique(labels)])
    centred = (covariate - covariate.mean())[:, None]
    together, apart = _misfit(values, codes, centred), _misfit(values, codes, codes * centred)
    df = (float(apart.rank - together.rank), float(len(values) - apart.rank))
    if df[0] < 1 or df[1] < 1 or not apart.squares > 0:
        return float("nan")
    return p_from_f((together.squares - apart.squares) / df[0] / (apart.squares / df[1]), df)


class _Misfit(NamedTuple):
    squares: float
    rank: int


def _misfit(values: Floats, *columns: Floats) -> _Misfit:
    """Return the squares that least squares leave; a group with one person has no slope of its own, hence the rank."""
    design = np.column_stack(columns)
    best, _, rank, _ = np.linalg.lstsq(design, values)
    return _Misfit(float(np.sum((values - design @ best) ** 2)), int(rank))


# Analyses of variance with one factor: between people, classical and Welch's, and within people.


@register("analyses", "oneway_anova")
class OnewayAnova(Record):
    """Compares the means of several groups of people, assuming equal variances."""

    estimand: ClassVar[str] = "differences between the means of groups"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="many", directions=EITHER_WAY)
    assumes: ClassVar[tuple[Ref, ...]] = (NORMAL_RESIDUALS, EQUAL_VARIANCES)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return F with eta squared and omega squared."""
        refuse_direction(hypothesis.direction, "An F test")
        groups = groups_of(table, hypothesis)
        return _between(one_way_anova(list(groups.values()), level=self.confidence), groups, self.confidence)


@register("analyses", "welch_anova")
class WelchAnova(Record):
    """Compares the means of several groups of people, without assuming equal variances."""

    estimand: ClassVar[str] = "differences between the means of groups"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="many", directions=EITHER_WAY)
    assumes: ClassVar[tuple[Ref, ...]] = (NORMAL_GROUPS,)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return Welch's F with eta squared, the share of variance between groups."""
        refuse_direction(hypothesis.direction, "An F test")
        groups = groups_of(table, hypothesis, least=2)
        estimate = _between(welch_anova(list(groups.values())), groups, self.confidence)
        no_interval = (
            "Eta squared is the share of variance between groups; Welch's F weighs groups by their precision instead, so "
            "it gives neither an interval nor omega squared."
        )
        return estimate.model_copy(update={"notes": notes_of(estimate.notes, no_interval)})


@register("analyses", "rm_anova")
class RmAnova(Record):
    """Compares the means of several levels seen by the same people."""

    estimand: ClassVar[str] = "differences between the means of levels within people"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="within", n_levels="many", directions=EITHER_WAY)
    assumes: ClassVar[tuple[Ref, ...]] = (SPHERICITY,)
    sphericity: SphericityCorrection = "gg"
    """The epsilon that reduces the degrees of freedom: Greenhouse–Geisser's, Huynh–Feldt's, or none."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return F with partial and generalized eta squared."""
        refuse_direction(hypothesis.direction, "An F test")
        factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
        cells = wide(rows_of_levels(table, factor, levels), factor, levels)
        anova = repeated_measures_anova(cells.values, level=self.confidence)
        estimate = anova_estimate(anova.within, anova.sphericity, correction=self.sphericity, level=self.confidence)
        return estimate.model_copy(
            update={
                "n_sessions": len(cells.units),
                "n_rows": cells.values.size,
                "groups": summaries_of(columns_by_name(levels, cells.values), self.confidence),
                "notes": notes_of(cells.notes, estimate.notes),
            }
        )


def _between(test: OneWayTest, groups: dict[str, Floats], level: float) -> Estimate:
    n = sum(values.size for values in groups.values())
    eta = effect_size("eta squared", test.eta_squared, test.eta_squared_interval, level)
    omega = effect_size("omega squared", test.omega_squared, None, level)
    return omnibus_estimate(eta, test, statistic="F", df=(test.df_between, test.df_within)).model_copy(
        update={
            "n_sessions": n,
            "n_rows": n,
            "effect_sizes": (eta,) if omega.value is None else (eta, omega),
            "groups": summaries_of(groups, level),
            "notes": notes_of(spread_note(test.p_value), moved_limit_note(eta)),
        }
    )


# Factorial analyses of variance: one effect of several factors between and within people, of values or aligned ranks.

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


# Split-plot analysis of variance: one factor between people crossed with one within.


@register("analyses", "mixed_anova")
class MixedAnova(Record):
    """Tests the group effect, the effect of a within-person factor, or their interaction."""

    estimand: ClassVar[str] = "differences between the means of cells"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", crossed_with="within", directions=EITHER_WAY)
    effect: Literal["between", "within", "interaction"] = "interaction"
    sphericity: SphericityCorrection = "gg"
    sums_of_squares: SumsOfSquares = "III"
    """Matters for the within effect of unequal groups: III weighs groups equally, I and II by their size."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the F test of the chosen effect, with partial and generalized eta squared."""
        refuse_direction(hypothesis.direction, "An F test")
        within = hypothesis.crossed_with
        if within is None:
            raise ValueError(
                "A mixed ANOVA needs a second factor that varies within people; name it in `crossed_with`."
            )
        between = factor_of(hypothesis)
        rows = rows_of_levels(table, between, compared_levels(table, hypothesis))
        levels = levels_in(rows, within)
        cells = wide(rows, within, levels)
        people = groups_by_person(rows, between)
        labels = [people[unit] for unit in cells.units]
        anova = split_plot(cells.values, labels, sums_of_squares=self.sums_of_squares, level=self.confidence)
        line = {"between": anova.between, "within": anova.within, "interaction": anova.interaction}[self.effect]
        estimate = anova_estimate(
            line,
            None if self.effect == "between" else anova.sphericity,
            correction="none" if self.effect == "between" else self.sphericity,
            level=self.confidence,
        )
        groups = _cells(cells.values, labels, levels)
        return estimate.model_copy(
            update={
                "n_sessions": len(cells.units),
                "n_rows": cells.values.size,
                "groups": summaries_of(groups, self.confidence),
                "notes": notes_of(cells.notes, estimate.notes),
            }
        )


def groups_by_person(table: Table, factor: str) -> dict[str, str]:
    """Return each participant's level of a factor that varies between people."""
    people = text(table, "participant")
    pairs = set(zip(people, text(table, factor), strict=True))
    if len(pairs) > people.nunique():
        raise ValueError(
            f"Some participants have rows at several levels of {factor!r}, which must vary between people."
        )
    return dict(pairs)


def _cells(values: Floats, labels: list[str], levels: tuple[str, ...]) -> dict[str, Floats]:
    return {
        f"{label}, {level}": values[[row_label == label for row_label in labels], column]
        for label in sorted(set(labels))
        for column, level in enumerate(levels)
    }
