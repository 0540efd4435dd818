"""Analyses of variance with one factor: between people, classical and Welch's, and within people."""

from typing import ClassVar

from understudy.analyses.anova_lines import SphericityCorrection, anova_estimate
from understudy.analyses.estimates import omnibus_estimate
from understudy.analyses.kernels.oneway import OneWayAnova as OneWayTest
from understudy.analyses.kernels.oneway import one_way_anova, welch_anova
from understudy.analyses.kernels.rm_anova import repeated_measures_anova
from understudy.analyses.results import (
    columns_by_name,
    effect_size,
    moved_limit_note,
    notes_of,
    refuse_direction,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import compared_levels, factor_of, groups_of, rows_of_levels, wide
from understudy.analyses.scales import (
    EITHER_WAY,
    EQUAL_VARIANCES,
    NORMAL_GROUPS,
    NORMAL_RESIDUALS,
    NUMBERS,
    SPHERICITY,
)
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Ref


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
