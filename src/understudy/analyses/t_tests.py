"""t tests: one mean against a value, two means of the same or of different people."""

from typing import ClassVar, Literal

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.t_tests import (
    TTest,
    t_test_independent,
    t_test_one_sample,
    t_test_paired,
    t_test_welch,
)
from understudy.analyses.results import (
    alternative_of,
    columns_by_name,
    difference_name,
    effect_size,
    finite,
    finite_df,
    notes_of,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import (
    groups_of,
    level_pair,
    n_participants,
    numbers_of_people,
    text,
    two_levels,
)
from understudy.analyses.scales import EQUAL_VARIANCES, NORMAL_GROUPS, NUMBERS, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import EffectSize, Estimate, Hypothesis, Record, Ref


@register("analyses", "one_sample_t")
class OneSampleT(Record):
    """Compares the mean of one value per participant with a fixed value, such as chance."""

    estimand: ClassVar[str] = "the mean over people"
    fit: ClassVar[Fit] = Fit(NUMBERS, needs=frozenset({"against"}))
    assumes: ClassVar[tuple[Ref, ...]] = (NORMAL_GROUPS,)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean with its interval and t test."""
        if hypothesis.against is None:
            raise ValueError("A one-sample t test compares a mean with a value; give the value in `against`.")
        values = numbers_of_people(table)
        test = t_test_one_sample(
            values,
            mean=hypothesis.against,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        return _estimate(
            test,
            name=f"mean (against {hypothesis.against:g})",
            groups={"all": values},
            sizes=_cohen_sizes(test, self.confidence),
            level=self.confidence,
        ).model_copy(update={"null_value": hypothesis.against})


@register("analyses", "paired_t")
class PairedT(Record):
    """Compares two levels seen by the same people, or two levels whose rows share their items."""

    estimand: ClassVar[str] = "the mean difference within people"
    assumes: ClassVar[tuple[Ref, ...]] = (Ref(name="shapiro_wilk", params={"of": "differences"}),)
    paired_by: Literal["participant", "item"] = "participant"
    """participant: each person's two values; item: the two rows about each item, single trials."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: one value per level for pairs of people; single trials with items for pairs of items."""
        if self.paired_by == "participant":
            return Fit(NUMBERS, factor="within", n_levels="two")
        return Fit(NUMBERS | YES_NO, unit="trial", factor="any", n_levels="two", needs=frozenset({"item"}))

    @property
    def samples_items(self) -> bool:
        """Tell whether the two rows about each item are paired."""
        return self.paired_by == "item"

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second, with its interval and t test."""
        pair = level_pair(table, hypothesis)
        levels, pairs = pair.levels, pair.wide(by=self.paired_by)
        test = t_test_paired(
            pairs.values[:, 0],
            pairs.values[:, 1],
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        average = test.d_average or test.d
        sizes = (
            effect_size("d_z", test.d.d, test.d.interval, self.confidence),
            effect_size("d_av", average.d, average.interval, self.confidence),
        )
        estimate = _estimate(
            test,
            name=difference_name(levels),
            groups=columns_by_name(levels, pairs.values),
            sizes=sizes,
            level=self.confidence,
        )
        used = pair.rows[text(pair.rows, self.paired_by).isin(pairs.units)]
        return estimate.model_copy(
            update={
                "n_sessions": n_participants(used),
                "n_rows": pairs.values.size,
                "notes": notes_of(pairs.notes, estimate.notes),
            }
        )


@register("analyses", "independent_t")
class IndependentT(Record):
    """Compares two groups of people with Student's t, which assumes equal variances."""

    estimand: ClassVar[str] = "the difference of the means of two groups"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="two")
    assumes: ClassVar[tuple[Ref, ...]] = (NORMAL_GROUPS, EQUAL_VARIANCES)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second, with its interval and t test."""
        levels = two_levels(table, hypothesis)
        groups = groups_of(table, hypothesis)
        test = t_test_independent(
            *groups.values(), alternative=alternative_of(hypothesis.direction), level=self.confidence
        )
        return _difference(test, levels, groups, level=self.confidence)


@register("analyses", "welch_t")
class WelchT(Record):
    """Compares two groups of people with Welch's t, which does not assume equal variances."""

    estimand: ClassVar[str] = "the difference of the means of two groups"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="two")
    assumes: ClassVar[tuple[Ref, ...]] = (NORMAL_GROUPS,)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second, with its interval and t test."""
        levels = two_levels(table, hypothesis)
        groups = groups_of(table, hypothesis, least=2)
        test = t_test_welch(*groups.values(), alternative=alternative_of(hypothesis.direction), level=self.confidence)
        return _difference(test, levels, groups, level=self.confidence)


def _difference(test: TTest, levels: tuple[str, str], groups: dict[str, Floats], *, level: float) -> Estimate:
    sizes = _cohen_sizes(test, level)
    return _estimate(test, name=difference_name(levels), groups=groups, sizes=sizes, level=level)


def _cohen_sizes(test: TTest, level: float) -> tuple[EffectSize, ...]:
    return (
        effect_size("Cohen's d", test.d.d, test.d.interval, level),
        effect_size("Hedges' g", test.d.hedges_g, test.d.hedges_interval, level),
    )


def _estimate(
    test: TTest, *, name: str, groups: dict[str, Floats], sizes: tuple[EffectSize, ...], level: float
) -> Estimate:
    n = sum(values.size for values in groups.values())
    estimate = effect_estimate(test.estimate, test, name=name, statistic="t", level=level)
    return estimate.model_copy(
        update={
            "df": finite_df(test.df),
            "n_sessions": n,
            "n_rows": n,
            "effect_sizes": sizes,
            "groups": summaries_of(groups, level),
            "details": {"standard_error": finite(test.standard_error)},
            "notes": notes_of(spread_note(test.p_value)),
        }
    )
