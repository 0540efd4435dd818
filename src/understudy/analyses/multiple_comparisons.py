"""Comparisons after an analysis of variance: pairs, planned contrasts, and their corrections."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import ClassVar

from understudy.analyses import results
from understudy.analyses.results import (
    EITHER_WAY,
    EQUAL_VARIANCES,
    NORMAL_RESIDUALS,
    NUMBERS,
    RANKED,
    alternative_of,
    difference_name,
    effect_estimate,
    effect_size,
    finite_df,
    notes_of,
    refuse_direction,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import all_groups, factor_of, levels_in, two_levels, varies_within, wide
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Ref
from understudy.statistics.multiple_comparisons import (
    PairTest,
    dunn_test,
    games_howell,
    holm,
    planned_contrast,
    tukey_hsd,
)
from understudy.statistics.t_tests import t_test_paired, t_test_welch


@register("analyses", "holm_pairs")
class HolmPairs(Record):
    """Compares two levels by a paired or Welch t test whose p-value is Holm-adjusted for all pairs of the factor."""

    estimand: ClassVar[str] = "the difference of the means of two levels"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="any", n_levels="two", directions=EITHER_WAY, rows="all")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second, with its own interval and the adjusted p-value."""
        results.refuse_direction(hypothesis.direction, "A test of all pairs")
        factor, pair, levels = (
            factor_of(hypothesis),
            two_levels(table, hypothesis),
            levels_in(table, hypothesis.factor or ""),
        )
        is_paired = varies_within(table, factor)
        notes: tuple[str, ...] = ()
        if is_paired:
            # People who lack a level are left out of every pair, so that all pairs are about the same people.
            cells = wide(table, factor, levels)
            groups, notes = results.columns_by_name(levels, cells.values), cells.notes
        else:
            groups = all_groups(table, hypothesis, least=2)
        test_of = t_test_paired if is_paired else t_test_welch
        others = [both for both in combinations(levels, 2) if set(both) != set(pair)]
        test = test_of(groups[pair[0]], groups[pair[1]], level=self.confidence)
        p_values = [test.p_value, *(test_of(groups[first], groups[second]).p_value for first, second in others)]
        # A pair without any spread has no p-value; it still counts as one of the tests.
        adjusted = holm([1.0 if p != p else p for p in p_values])[0]
        size = results.effect_size("d_z" if is_paired else "Cohen's d", test.d.d, test.d.interval, self.confidence)
        n_rows = groups[pair[0]].size + groups[pair[1]].size
        corrected = f"p is adjusted by Holm's method for all {len(p_values)} pairs; the interval is of this pair alone."
        if not others:
            corrected = "The factor has one pair of levels, so that p needs no adjustment."
        estimate = effect_estimate(
            test.estimate, test, name=results.difference_name(pair), statistic="t", level=self.confidence
        )
        return estimate.model_copy(
            update={
                "df": results.finite_df(test.df),
                "p_value": None if estimate.p_value is None else float(adjusted),
                "n_sessions": groups[pair[0]].size if is_paired else n_rows,
                "n_rows": n_rows,
                "effect_sizes": (size,),
                "groups": results.summaries_of({level: groups[level] for level in pair}, self.confidence),
                "details": {"p_unadjusted": results.finite(test.p_value)},
                "notes": results.notes_of(notes, results.spread_note(test.p_value), corrected),
            }
        )


# Planned contrast: two groups compared after an ANOVA of more, with the error of all of them.


@register("analyses", "planned_contrast")
class PlannedContrast(Record):
    """Compares two groups of people by a t test whose error is pooled over all groups of the factor."""

    estimand: ClassVar[str] = "the difference of the means of two groups"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="two", rows="all")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second, with its interval and t test."""
        first, second = two_levels(table, hypothesis)
        groups = all_groups(table, hypothesis)
        others = [values for level, values in groups.items() if level not in (first, second)]
        test = planned_contrast(
            groups[first],
            groups[second],
            others,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        n = groups[first].size + groups[second].size
        constant = "No test: no group has any spread." if math.isnan(test.p_value) else ""
        pooled = f"The error is pooled over {len(groups)} groups." if others else ""
        name = difference_name((first, second))
        estimate = effect_estimate(test.estimate, test, name=name, statistic="t", level=self.confidence)
        return estimate.model_copy(
            update={
                "df": finite_df(test.df),
                "n_sessions": n,
                "n_rows": n,
                "effect_sizes": (
                    effect_size("d", test.d, None, self.confidence),
                    effect_size("r", test.r, None, self.confidence),
                ),
                "groups": summaries_of({first: groups[first], second: groups[second]}, self.confidence),
                "notes": notes_of(constant, pooled),
            }
        )


# Pairs of groups after a test of several: Dunn's test by ranks, Tukey's and Games & Howell's by means.


@register("analyses", "dunn")
class Dunn(Record):
    """Compares the mean ranks of two groups of people among all groups, as follows a Kruskal–Wallis test."""

    estimand: ClassVar[str] = "the difference of the mean ranks of two groups among all groups"
    fit: ClassVar[Fit] = Fit(RANKED, factor="between", n_levels="two", rows="all")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the difference of mean ranks, first level minus second; correct its p-value in a family."""
        pair, groups = two_levels(table, hypothesis), all_groups(table, hypothesis)
        numbers = [*groups]
        test = dunn_test(
            [*groups.values()],
            (numbers.index(pair[0]), numbers.index(pair[1])),
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        name = difference_name(pair, "difference of mean ranks")
        return _estimate(test, groups, pair, name=name, statistic="z", level=self.confidence)


class _OfAllPairs(Record):
    estimand: ClassVar[str] = "the difference of the means of two groups"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="two", directions=EITHER_WAY, rows="all")
    test_name: ClassVar[str]
    test_of: ClassVar[Callable[..., PairTest]]
    least: ClassVar[int]
    """The fewest people in a group."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second; p and interval hold for all pairs together."""
        refuse_direction(hypothesis.direction, self.test_name)
        pair, groups = two_levels(table, hypothesis), all_groups(table, hypothesis, least=self.least)
        numbers = [*groups]
        places = numbers.index(pair[0]), numbers.index(pair[1])
        test = type(self).test_of([*groups.values()], places, level=self.confidence)
        estimate = _estimate(test, groups, pair, name=difference_name(pair), statistic="t", level=self.confidence)
        n_pairs = len(groups) * (len(groups) - 1) // 2
        note = f"p and interval are corrected for all {n_pairs} pairs; a family would correct them twice."
        return estimate.model_copy(update={"notes": notes_of(estimate.notes, note)})


@register("analyses", "games_howell")
class GamesHowell(_OfAllPairs):
    """Compares the means of two groups of people with their own variances, corrected for all pairs of the factor."""

    test_name: ClassVar[str] = "The Games–Howell test"
    test_of: ClassVar[Callable[..., PairTest]] = games_howell
    least: ClassVar[int] = 2


@register("analyses", "tukey_hsd")
class TukeyHsd(_OfAllPairs):
    """Compares the means of two groups of people by Tukey's HSD, assuming equal variances, corrected for all pairs."""

    assumes: ClassVar[tuple[Ref, ...]] = (NORMAL_RESIDUALS, EQUAL_VARIANCES)
    test_name: ClassVar[str] = "Tukey's test"
    test_of: ClassVar[Callable[..., PairTest]] = tukey_hsd
    least: ClassVar[int] = 1


def _estimate(
    test: PairTest, groups: dict[str, Floats], pair: tuple[str, str], *, name: str, statistic: str, level: float
) -> Estimate:
    n = sum(groups[group].size for group in pair)
    shown = {group: groups[group] for group in pair}
    return effect_estimate(test.estimate, test, name=name, statistic=statistic, level=level).model_copy(
        update={
            "df": () if math.isnan(test.df) else finite_df(test.df),
            "n_sessions": n,
            "n_rows": n,
            "groups": summaries_of(shown, level),
            "notes": notes_of(spread_note(test.p_value), f"The test rests on all {len(groups)} groups of the factor."),
        }
    )
