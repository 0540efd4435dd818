"""Counts and shares: rates, tables of two groups, and two answers of the same people."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.results import (
    EITHER_WAY,
    YES_NO,
    alternative_of,
    columns_by_name,
    difference_name,
    effect_size,
    finite,
    finite_df,
    limits,
    notes_of,
    omnibus_estimate,
    refuse_direction,
    share_of,
    summaries_of,
)
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    groups_of,
    level_pair,
    refuse_repeats,
    rows_of_levels,
    text,
    two_levels,
    yes_or_no,
)
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale
from understudy.statistics.counts import (
    CountFamily,
    chi_square,
    fisher_exact,
    mcnemar_exact,
    overdispersion_p,
    paired_proportions,
    rate_ratio,
)

_COUNTS: frozenset[Scale] = frozenset({"count"})


@register("analyses", "count_regression")
class CountRegression(Record):
    """Compares how often something happened to two groups of people, by a regression for counts."""

    estimand: ClassVar[str] = "the ratio of the mean counts of two groups"
    fit: ClassVar[Fit] = Fit(_COUNTS, factor="between", n_levels="two")
    family: CountFamily = "negative_binomial"
    """negative_binomial: counts may vary more than chance; quasi_poisson: the same, by a factor; poisson: they do not."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the ratio of the mean counts, first level to second, with its interval and test."""
        levels, groups = two_levels(table, hypothesis), groups_of(table, hypothesis)
        first, second = groups[levels[0]], groups[levels[1]]
        alternative = alternative_of(hypothesis.direction)
        test = rate_ratio(first, second, family=self.family, alternative=alternative, level=self.confidence)
        p_dispersion = overdispersion_p(first, second)
        n, is_constant = first.size + second.size, len({*first, *second}) == 1
        none = ""
        if math.isnan(test.ratio):
            none = "No test: one group has no counts above 0, so there is no ratio."
        elif is_constant:
            none = "No test: all counts are the same."
        elif math.isnan(test.p_value):
            none = "No test: the counts do not vary within the groups."
        too_narrow = (
            f"The counts vary more than a Poisson model allows (p = {p_dispersion:.3f}), so its p-value is too small: "
            "use negative_binomial or quasi_poisson."
            if self.family == "poisson" and p_dispersion < 0.05
            else ""
        )
        return Estimate(
            effect=finite(test.ratio),
            effect_name=f"rate ratio ({levels[0]} / {levels[1]})",
            null_value=1.0,
            interval=limits(test.interval, self.confidence),
            statistic=finite(test.statistic),
            statistic_name="t" if self.family == "quasi_poisson" else "z",
            df=finite_df(test.df) if self.family == "quasi_poisson" else (),
            p_value=None if is_constant else finite(test.p_value),
            n_sessions=n,
            n_rows=n,
            groups=summaries_of(groups, self.confidence),
            details={
                "log_ratio": finite(test.log_ratio),
                "standard_error": finite(test.standard_error),
                "dispersion": finite(test.dispersion),
                "p_overdispersion": finite(p_dispersion),
            },
            notes=notes_of(none, too_narrow),
        )


# Tests of counts: answers of groups of people by Pearson's χ², and yes or no of two groups by Fisher's exact test.

_LABELS: frozenset[Scale] = frozenset({"binary", "nominal", "ordinal"})
_FEW_EXPECTED = 5


@register("analyses", "chi_square")
class ChiSquare(Record):
    """Compares how often groups of people give each answer."""

    estimand: ClassVar[str] = "differences between groups in how often each answer is given"
    fit: ClassVar[Fit] = Fit(_LABELS, factor="between", n_levels="any", directions=EITHER_WAY)
    continuity: bool = False
    """Whether a 2 x 2 table gets Yates's correction."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return χ² with Cramér's V."""
        refuse_direction(hypothesis.direction, "A χ² test")
        factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
        rows = rows_of_levels(table, factor, levels)
        refuse_repeats(rows, ["participant"])
        counts = pd.crosstab(text(rows, factor), rows["value"]).reindex([*levels], fill_value=0)
        test = chi_square(counts.to_numpy(), continuity=self.continuity)
        size = effect_size("Cramér's V", test.cramers_v, None, self.confidence)
        single = "No test: everybody gives the same answer." if math.isnan(test.p_value) else ""
        few = (
            f"The smallest expected count is {test.smallest_expected:.1f}; below 5 the χ² approximation is rough: use "
            "fisher for two groups and yes or no."
            if test.smallest_expected < _FEW_EXPECTED
            else ""
        )
        estimate = omnibus_estimate(size, test, statistic="χ²", df=(test.df,))
        return estimate.model_copy(
            update={"n_sessions": len(rows), "n_rows": len(rows), "notes": notes_of(single, few)}
        )


@register("analyses", "fisher")
class Fisher(Record):
    """Compares the shares of yes of two groups of people exactly, however few they are."""

    estimand: ClassVar[str] = "the odds ratio of yes between two groups"
    fit: ClassVar[Fit] = Fit(YES_NO, factor="between", n_levels="two")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the odds ratio, first level against second, with its exact p-value and interval."""
        yes_or_no(table)
        levels = two_levels(table, hypothesis)
        groups = groups_of(table, hypothesis)
        counts = np.array([[values.sum(), values.size - values.sum()] for values in groups.values()])
        test = fisher_exact(counts, alternative=alternative_of(hypothesis.direction), level=self.confidence)
        n = sum(values.size for values in groups.values())
        shares = [float(values.mean()) for values in groups.values()]
        unbounded = "" if math.isfinite(test.odds_ratio) else "The odds ratio is infinite or unknown: a cell is empty."
        return Estimate(
            effect=shares[0] - shares[1],
            effect_name=f"difference of proportions ({levels[0]} - {levels[1]})",
            null_value=0.0,
            p_value=finite(test.p_value),
            n_sessions=n,
            n_rows=n,
            effect_sizes=(effect_size("odds ratio", test.odds_ratio, test.interval, self.confidence, null_value=1.0),),
            groups=tuple(share_of(level, values, self.confidence) for level, values in groups.items()),
            notes=notes_of(unbounded),
        )


# Exact McNemar test: two yes-or-no answers of the same people.


@register("analyses", "mcnemar")
class McNemar(Record):
    """Compares the shares of yes at two levels seen by the same people, from the discordant pairs."""

    estimand: ClassVar[str] = "the difference of the shares of yes within people"
    fit: ClassVar[Fit] = Fit(YES_NO, unit="either", factor="within", n_levels="two")
    interval_method: Literal["newcombe", "wald"] = "newcombe"
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the difference of shares, first level minus second, with the exact p-value and odds ratio."""
        pair = level_pair(table, hypothesis)
        # Called for its check only: other values than 0 and 1 are rejected.
        yes_or_no(pair.rows)
        pairs = pair.wide()
        first, second = pairs.values.astype(bool).T
        # The usual names: b pairs are yes-no and c are no-yes; only these carry information.
        b, c = int((first & ~second).sum()), int((~first & second).sum())
        both, neither = int((first & second).sum()), int((~first & ~second).sum())
        test = mcnemar_exact(b, c, alternative=alternative_of(hypothesis.direction), level=self.confidence)
        shares = paired_proportions([[both, b], [c, neither]], method=self.interval_method, level=self.confidence)
        return Estimate(
            effect=shares.difference,
            effect_name=difference_name(pair.levels, "difference of proportions"),
            null_value=0.0,
            interval=limits(shares.interval, self.confidence),
            statistic=b,
            statistic_name="b",
            p_value=test.p_value,
            n_sessions=len(pairs.units),
            n_rows=pairs.values.size,
            effect_sizes=(
                effect_size("odds ratio", test.odds_ratio, test.odds_ratio_interval, self.confidence, null_value=1.0),
            ),
            groups=tuple(
                share_of(level, values, self.confidence)
                for level, values in columns_by_name(pair.levels, pairs.values).items()
            ),
            details={"both_yes": both, "only_first": b, "only_second": c, "neither": neither},
            notes=notes_of(pairs.notes, _discordance(b, c, pair.levels)),
        )


def _discordance(b: int, c: int, levels: tuple[str, str]) -> str:
    if b + c == 0:
        return "Nobody answers differently at the two levels, so p is 1 and there is no odds ratio."
    unbounded = "" if c else " The odds ratio has no upper limit and no value, since no pair goes the other way."
    return f"Exact test; {b} of {b + c} pairs that disagree are yes at {levels[0]} only.{unbounded}"
