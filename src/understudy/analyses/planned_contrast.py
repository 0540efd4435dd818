"""Planned contrast: two groups compared after an ANOVA of more, with the error of all of them."""

import math
from typing import ClassVar

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.planned_contrast import planned_contrast
from understudy.analyses.results import alternative_of, difference_name, effect_size, finite_df, notes_of, summaries_of
from understudy.analyses.rows import all_groups, two_levels
from understudy.analyses.scales import NUMBERS
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


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
