"""Rank tests: rank-sum of two groups, signed-rank of pairs or against a value, Kruskal–Wallis of several groups."""

import math
from typing import ClassVar

import numpy as np

from understudy.analyses.results import (
    EITHER_WAY,
    RANKED,
    YES_NO,
    alternative_of,
    columns_by_name,
    difference_name,
    effect_size,
    finite,
    limits,
    moved_limit_note,
    notes_of,
    omnibus_estimate,
    refuse_direction,
    share_of,
    summaries_of,
)
from understudy.analyses.rows import (
    Wide,
    compared_levels,
    factor_of,
    groups_of,
    level_pair,
    numbers_of_people,
    rows_of_levels,
    two_levels,
    wide,
    yes_or_no,
)
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, side_of
from understudy.statistics.hodges_lehmann import Shift
from understudy.statistics.ranks import (
    RankMethod,
    WithinTest,
    Zeros,
    cochran_q,
    friedman,
    kruskal_wallis,
    rank_sum_test,
    signed_rank_test,
)
from understudy.statistics.ranks import SignedRank as SignedRankTest

_ALL_EQUAL = "No test: all values are equal, so ranks say nothing."


@register("analyses", "rank_sum")
class RankSum(Record):
    """Compares two groups of people by Wilcoxon's rank-sum test, the Mann–Whitney U."""

    estimand: ClassVar[str] = (
        "the shift between two groups: the median difference of a person of one and a person of the other"
    )
    fit: ClassVar[Fit] = Fit(RANKED, factor="between", n_levels="two")
    method: RankMethod = "normal"
    continuity: bool = True
    """Whether the normal p-value has the continuity correction."""
    continuity_in_r: bool = False
    """Whether r = |z| / √N has the correction too."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the shift, first level minus second, with U of the first level and effect sizes."""
        levels = two_levels(table, hypothesis)
        groups = groups_of(table, hypothesis)
        test = rank_sum_test(
            *groups.values(),
            method=self.method,
            continuity=self.continuity,
            continuity_in_r=self.continuity_in_r,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        n = test.n_first + test.n_second
        share = test.common_language
        return Estimate(
            effect=finite(test.shift.estimate),
            effect_name=difference_name(levels, "Hodges–Lehmann shift"),
            null_value=0.0,
            interval=limits(test.shift.interval, test.shift.level),
            statistic=test.u,
            statistic_name="U",
            p_value=finite(test.p_value),
            n_sessions=n,
            n_rows=n,
            effect_sizes=(
                effect_size("r", test.r, None, self.confidence),
                effect_size("rank-biserial", test.rank_biserial, test.rank_biserial_interval, self.confidence),
                effect_size("common-language", share, test.common_language_interval, self.confidence, null_value=0.5),
            ),
            groups=summaries_of(groups, self.confidence),
            details={"z": finite(test.z)},
            side=side_of(test.z),
            notes=notes_of(_notes(test.p_value, groups), level_note(test.shift, self.confidence)),
        )


@register("analyses", "signed_rank")
class SignedRank(Record):
    """Compares two levels seen by the same people, or one value per person with a fixed value, by signed ranks."""

    estimand: ClassVar[str] = "the typical difference within people (the median of their pairwise averages)"
    fit: ClassVar[Fit] = Fit(RANKED, factor="optional", n_levels="two")
    zeros: Zeros = "wilcox"
    """wilcox drops zero differences before ranking, pratt after."""
    method: RankMethod = "normal"
    continuity: bool = True
    continuity_in_r: bool = False
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the shift with V, the sum of positive ranks, and effect sizes."""
        if hypothesis.factor is None:
            return self._against(table, hypothesis)
        if hypothesis.against is not None:
            raise ValueError("A signed-rank test takes two levels or a value in `against`, not both.")
        pair = level_pair(table, hypothesis)
        levels, pairs = pair.levels, pair.wide()
        test = self._test(pairs.values[:, 0], pairs.values[:, 1], hypothesis)
        return self._estimate(
            test,
            name=difference_name(levels, "Hodges–Lehmann shift"),
            groups=columns_by_name(levels, pairs.values),
            notes=notes_of(pairs.notes, _tied_differences(pairs.values[:, 0] - pairs.values[:, 1])),
        ).model_copy(update={"n_sessions": len(pairs.units), "n_rows": pairs.values.size})

    def _against(self, table: Table, hypothesis: Hypothesis) -> Estimate:
        against = hypothesis.against
        if against is None:
            raise ValueError("A signed-rank test needs a factor, or a value in `against`.")
        values = numbers_of_people(table)
        test = self._test(values, np.full(values.size, against), hypothesis)
        low, high = test.shift.interval
        # The test was run on differences from the value, which is added back.
        moved = test.shift._replace(
            estimate=test.shift.estimate + against,
            interval=test.shift.interval._replace(low=low + against, high=high + against),
        )
        name = f"Hodges–Lehmann median (against {against:g})"
        return self._estimate(
            test._replace(shift=moved),
            name=name,
            groups={"all": values},
            notes=notes_of(_tied_differences(values - against)),
        ).model_copy(update={"null_value": against})

    def _test(self, first: Floats, second: Floats, hypothesis: Hypothesis) -> SignedRankTest:
        return signed_rank_test(
            first,
            second,
            zeros=self.zeros,
            method=self.method,
            continuity=self.continuity,
            continuity_in_r=self.continuity_in_r,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )

    def _estimate(
        self, test: SignedRankTest, *, name: str, groups: dict[str, Floats], notes: tuple[str, ...]
    ) -> Estimate:
        n = test.n_used + test.n_zero
        no_test = "No test: no value differs, so ranks say nothing." if math.isnan(test.p_value) else ""
        zero = f"{test.n_zero} of {n} differences are zero ({self.zeros} rule)." if test.n_zero else ""
        biserial = effect_size("rank-biserial", test.rank_biserial, test.rank_biserial_interval, self.confidence)
        return Estimate(
            effect=finite(test.shift.estimate),
            effect_name=name,
            null_value=0.0,
            interval=limits(test.shift.interval, test.shift.level),
            statistic=finite(test.v),
            statistic_name="V",
            p_value=finite(test.p_value),
            n_sessions=n,
            n_rows=n,
            effect_sizes=(effect_size("r", test.r, None, self.confidence), biserial),
            groups=summaries_of(groups, self.confidence),
            details={"z": finite(test.z), "n_zero": test.n_zero},
            side=side_of(test.z),
            notes=notes_of(notes, no_test, zero, level_note(test.shift, self.confidence)),
        )


@register("analyses", "kruskal_wallis")
class KruskalWallis(Record):
    """Compares several groups of people by the ranks of their values."""

    estimand: ClassVar[str] = "differences between the mean ranks of groups"
    fit: ClassVar[Fit] = Fit(RANKED, factor="between", n_levels="many", directions=EITHER_WAY)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return H, tie-corrected, with epsilon squared."""
        refuse_direction(hypothesis.direction, "The Kruskal–Wallis test")
        groups = groups_of(table, hypothesis)
        test = kruskal_wallis(list(groups.values()), level=self.confidence)
        epsilon = effect_size("epsilon squared", test.epsilon_squared, test.epsilon_squared_interval, self.confidence)
        return omnibus_estimate(epsilon, test, statistic="H", df=(test.df,)).model_copy(
            update={
                "n_sessions": test.n,
                "n_rows": test.n,
                "groups": summaries_of(groups, self.confidence),
                "notes": notes_of(_notes(test.p_value, groups), moved_limit_note(epsilon)),
            }
        )


def level_note(shift: Shift, asked: float) -> str:
    """Say that so few values do not allow the level asked for; empty if they do."""
    if not shift.level < asked:
        return ""
    return (
        f"The interval has a confidence of {shift.level:.1%}, not {asked:.0%}: with so few values even the widest one, "
        "from the smallest to the largest candidate, attains no more."
    )


def _tied_differences(differences: Floats) -> str:
    sizes = np.abs(differences[differences != 0])
    is_tied = np.unique(sizes).size < sizes.size
    return "Some differences are of equal size; the test corrects for these ties." if is_tied else ""


def _notes(p_value: float, groups: dict[str, Floats]) -> tuple[str, ...]:
    values = np.concatenate(list(groups.values()))
    n_distinct = np.unique(values).size
    is_tied = n_distinct < values.size
    ties = f"Ties: {values.size} values, {n_distinct} of them different; the test corrects for them." if is_tied else ""
    return notes_of(_ALL_EQUAL if math.isnan(p_value) else "", ties)


# Tests of several levels seen by the same people that assume no normal values: Friedman's and Cochran's Q.

_SAME = "No test: everybody has the same value at every level."


@register("analyses", "friedman")
class Friedman(Record):
    """Compares several levels seen by the same people, by each person's ranks."""

    estimand: ClassVar[str] = "differences between the mean ranks of levels within people"
    fit: ClassVar[Fit] = Fit(RANKED, factor="within", n_levels="many", directions=EITHER_WAY)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return Friedman's χ², tie-corrected, with Kendall's W."""
        refuse_direction(hypothesis.direction, "Friedman's test")
        levels, cells = _cells(table, hypothesis)
        groups = summaries_of(columns_by_name(levels, cells.values), self.confidence)
        estimate = _estimate(friedman(cells.values), cells, name="Kendall's W", statistic="χ²")
        return estimate.model_copy(update={"groups": groups})


@register("analyses", "cochran_q")
class CochranQ(Record):
    """Compares the shares of yes at several levels seen by the same people."""

    estimand: ClassVar[str] = "differences between the shares of yes within people"
    fit: ClassVar[Fit] = Fit(YES_NO, factor="within", n_levels="many", directions=EITHER_WAY)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return Q with its share of the largest possible Q."""
        refuse_direction(hypothesis.direction, "Cochran's Q")
        # Called for its check only: other values than 0 and 1 are rejected.
        yes_or_no(table)
        levels, cells = _cells(table, hypothesis)
        shares = columns_by_name(levels, cells.values)
        groups = tuple(share_of(level, values, self.confidence) for level, values in shares.items())
        estimate = _estimate(cochran_q(cells.values), cells, name="Q / largest Q", statistic="Q")
        return estimate.model_copy(update={"groups": groups})


def _cells(table: Table, hypothesis: Hypothesis) -> tuple[tuple[str, ...], Wide]:
    factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
    return levels, wide(rows_of_levels(table, factor, levels), factor, levels)


def _estimate(test: WithinTest, cells: Wide, *, name: str, statistic: str) -> Estimate:
    size = effect_size(name, test.share, None, 0.95)
    return omnibus_estimate(size, test, statistic=statistic, df=(test.df,)).model_copy(
        update={
            "n_sessions": test.n_people,
            "n_rows": cells.values.size,
            "notes": notes_of(cells.notes, _SAME if math.isnan(test.p_value) else ""),
        }
    )
