"""Counts of two groups of people, compared by their rate ratio."""

import math
from typing import ClassVar

from understudy.analyses.kernels.count_models import CountFamily, overdispersion_p, rate_ratio
from understudy.analyses.results import alternative_of, finite, finite_df, limits, notes_of, summaries_of
from understudy.analyses.rows import groups_of, two_levels
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale

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
