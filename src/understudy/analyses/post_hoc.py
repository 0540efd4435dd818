"""Pairs of groups after a test of several: Dunn's test by ranks, Tukey's and Games & Howell's by means."""

import math
from collections.abc import Callable
from typing import ClassVar

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.post_hoc import PairTest, dunn_test, games_howell, tukey_hsd
from understudy.analyses.results import (
    alternative_of,
    difference_name,
    finite_df,
    notes_of,
    refuse_direction,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import all_groups, two_levels
from understudy.analyses.scales import EITHER_WAY, EQUAL_VARIANCES, NORMAL_RESIDUALS, NUMBERS, RANKED
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Ref


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
