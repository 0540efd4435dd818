"""Tests of counts: answers of groups of people by Pearson's χ², and yes or no of two groups by Fisher's exact test."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from understudy.analyses.estimates import omnibus_estimate
from understudy.analyses.kernels.counts import chi_square, fisher_exact
from understudy.analyses.results import alternative_of, effect_size, finite, notes_of, refuse_direction, share_of
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    groups_of,
    refuse_repeats,
    rows_of_levels,
    text,
    two_levels,
    yes_or_no,
)
from understudy.analyses.scales import EITHER_WAY, YES_NO
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale

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
