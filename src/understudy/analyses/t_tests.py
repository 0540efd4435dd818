"""t tests: one mean against a value, two means of the same or of different people."""

from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.results import (
    EQUAL_VARIANCES,
    NORMAL_GROUPS,
    NUMBERS,
    YES_NO,
    alternative_of,
    columns_by_name,
    difference_name,
    effect_estimate,
    effect_size,
    finite,
    finite_df,
    limits,
    notes_of,
    share_of,
    spread_note,
    summaries_of,
    summary_of,
)
from understudy.analyses.rows import (
    groups_of,
    level_pair,
    n_participants,
    numbers_of_people,
    text,
    two_levels,
    two_samples,
    yes_or_no,
)
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import EffectSize, Estimate, Hypothesis, Record, Ref, Scale
from understudy.statistics.describe import mean_summary
from understudy.statistics.describe import proportion as wilson_proportion
from understudy.statistics.distributions import Interval
from understudy.statistics.t_tests import TTest, t_test_independent, t_test_one_sample, t_test_paired, t_test_welch

# Times compared on the log scale: how many times as long one level takes as another.

_TIMES: frozenset[Scale] = frozenset({"time"})


@register("analyses", "log_time")
class LogTime(Record):
    """Compares times of two levels by a t test of their logarithms, within or between people."""

    estimand: ClassVar[str] = "the ratio of geometric means"
    fit: ClassVar[Fit] = Fit(_TIMES, factor="any", n_levels="two")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the ratio of geometric means, first level to second, with its interval and t test."""
        samples = two_samples(table, hypothesis, least=2)
        smallest = min(samples.first.min(), samples.second.min())
        if smallest <= 0:
            raise ValueError(f"The values contain {smallest:g}; only numbers above 0 have a logarithm.")
        test_of = t_test_paired if samples.is_paired else t_test_welch
        alternative = alternative_of(hypothesis.direction)
        test = test_of(np.log(samples.first), np.log(samples.second), alternative=alternative, level=self.confidence)
        ratio_limits = Interval(*np.exp(test.interval))
        return Estimate(
            effect=float(np.exp(test.estimate)),
            effect_name=f"ratio of geometric means ({samples.levels[0]} / {samples.levels[1]})",
            null_value=1.0,
            interval=limits(ratio_limits, self.confidence),
            statistic=finite(test.statistic),
            statistic_name="t",
            df=finite_df(test.df),
            p_value=finite(test.p_value),
            n_sessions=samples.n_people,
            n_rows=samples.n_rows,
            effect_sizes=(
                effect_size("d_z" if samples.is_paired else "Cohen's d", test.d.d, test.d.interval, self.confidence),
            ),
            groups=samples.summaries(self.confidence),
            details={
                f"geometric_mean_{samples.levels[0]}": float(np.exp(np.log(samples.first).mean())),
                f"geometric_mean_{samples.levels[1]}": float(np.exp(np.log(samples.second).mean())),
                "standard_error_of_log_ratio": finite(test.standard_error),
            },
            notes=notes_of(samples.notes, spread_note(test.p_value)),
        )


# Means and shares with their intervals: estimation without a test.

_NO_TEST = "Estimation only: no p-value."


@register("analyses", "mean")
class Mean(Record):
    """Estimates the mean of one value per participant, with the t interval of the mean."""

    estimand: ClassVar[str] = "the mean over people"
    fit: ClassVar[Fit] = Fit(NUMBERS)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean and, with `against`, its distance from that value."""
        values = numbers_of_people(table)
        summary = mean_summary(values, level=self.confidence)
        return Estimate(
            effect=summary.mean,
            effect_name="mean",
            null_value=hypothesis.against,
            interval=limits(summary.interval, self.confidence),
            n_sessions=len(table),
            n_rows=len(table),
            groups=(summary_of("all", values, self.confidence),),
            details=_distance(summary.mean, hypothesis.against),
            notes=(_NO_TEST,),
        )


@register("analyses", "proportion")
class Proportion(Record):
    """Estimates a share of yes answers with Wilson's interval, which treats rows as independent."""

    estimand: ClassVar[str] = "the share of yes over answers"
    fit: ClassVar[Fit] = Fit(YES_NO, unit="either")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the share and, with `against`, its distance from that value."""
        values = yes_or_no(table)
        n_people = n_participants(table)
        share = wilson_proportion(int(values.sum()), values.size, level=self.confidence)
        repeated = (
            f"{len(table)} rows come from {n_people} participants, but the interval takes rows as independent and is "
            "too narrow if people differ; logistic_mixed allows for people and for items."
        )
        return Estimate(
            effect=share.estimate,
            effect_name="proportion",
            null_value=hypothesis.against,
            interval=limits(share.interval, self.confidence),
            n_sessions=n_people,
            n_rows=len(table),
            groups=(share_of("all", values, self.confidence),),
            details={"successes": share.successes} | _distance(share.estimate, hypothesis.against),
            notes=(_NO_TEST, repeated) if len(table) > n_people else (_NO_TEST,),
        )


def _distance(estimate: float, against: float | None) -> dict[str, float | None]:
    return {} if against is None else {"against": against, "difference": estimate - against}


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
