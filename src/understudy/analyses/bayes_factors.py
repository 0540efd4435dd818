"""Default Bayes factors: how much likelier the data are under an effect than under none."""

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from understudy.analyses.results import (
    NUMBERS,
    YES_NO,
    alternative_of,
    difference_name,
    limits,
    notes_of,
    share_of,
    summaries_of,
)
from understudy.analyses.rows import numbers, numbers_of_people, refuse_repeats, two_samples, yes_or_no
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record
from understudy.statistics.bayes_factors import (
    LARGEST,
    BayesFactor,
    correlation_bayes_factor,
    proportion_bayes_factor,
    t_bayes_factor,
)
from understudy.statistics.t_tests import TTest, t_test_independent, t_test_one_sample, t_test_paired

_NO_SPREAD = "No Bayes factor: the values do not vary."


class _Sample(NamedTuple):
    """What a t test was made of."""

    name: str
    n_people: int
    n_effective: float
    groups: tuple[GroupSummary, ...]
    notes: tuple[str, ...] = ()


class _Bayes(Record):
    threshold: float = Field(default=10.0, gt=1)
    """The Bayes factor from which a claim is supported; its inverse speaks for no effect."""
    confidence: float = 0.95

    def described(self, estimate: Estimate, found: BayesFactor, *, scale: float) -> Estimate:
        """Add the Bayes factor, its threshold and the prior to an estimate."""
        return estimate.model_copy(
            update={
                "bayes_factor": found.bf10,
                "statistic": found.bf10,
                "statistic_name": "BF₁₀",
                "details": estimate.details | {"threshold": self.threshold, "prior_scale": scale},
                "notes": notes_of(
                    estimate.notes,
                    "A Bayes factor, no p-value: the interval is of the posterior.",
                    f"The Bayes factor is {LARGEST:g} or more." if found.bf10 == LARGEST else "",
                ),
            }
        )


@register("analyses", "bayes_t")
class BayesT(_Bayes):
    """Weighs a difference of two means, or a mean against a value, by the JZS Bayes factor."""

    estimand: ClassVar[str] = "the difference of means, or a mean, over people"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="optional", n_levels="two")
    prior_scale: float = Field(default=2**-0.5, gt=0)
    """The scale of the Cauchy prior on the standardized effect: half of it lies within this many SDs of 0."""

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the posterior median of the standardized effect, with its interval and the Bayes factor."""
        test, sample = self._test(table, hypothesis)
        estimate = Estimate(
            effect=None,
            effect_name=sample.name,
            null_value=0.0,
            n_sessions=sample.n_people,
            n_rows=sum(group.n for group in sample.groups),
            groups=sample.groups,
            notes=sample.notes,
        )
        if not np.isfinite(test.statistic):
            return estimate.model_copy(update={"notes": notes_of(sample.notes, _NO_SPREAD)})
        found = t_bayes_factor(
            test.statistic,
            test.df,
            sample.n_effective,
            scale=self.prior_scale,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        update = {"effect": found.median, "interval": limits(found.interval, self.confidence), "df": (float(test.df),)}
        return self.described(estimate.model_copy(update=update), found, scale=self.prior_scale)

    def _test(self, table: Table, hypothesis: Hypothesis) -> tuple[TTest, _Sample]:
        if hypothesis.factor is None:
            values, against = numbers_of_people(table), hypothesis.against or 0.0
            groups = summaries_of({"all": values}, self.confidence)
            name = f"standardized mean (against {against:g})"
            return t_test_one_sample(values, mean=against), _Sample(name, values.size, values.size, groups)
        samples = two_samples(table, hypothesis)
        n_first, n_second = samples.first.size, samples.second.size
        name, groups = difference_name(samples.levels, "standardized difference"), samples.summaries(self.confidence)
        if samples.is_paired:
            sample = _Sample(name, samples.n_people, float(n_first), groups, samples.notes)
            return t_test_paired(samples.first, samples.second), sample
        n_effective = n_first * n_second / (n_first + n_second)
        return t_test_independent(samples.first, samples.second), _Sample(name, samples.n_people, n_effective, groups)


@register("analyses", "bayes_proportion")
class BayesProportion(_Bayes):
    """Weighs a share of yes against a fixed share, such as chance, by its Bayes factor; one answer per participant."""

    estimand: ClassVar[str] = "the share of yes over people"
    fit: ClassVar[Fit] = Fit(YES_NO, needs=frozenset({"against"}))
    prior_scale: float = Field(default=0.5, gt=0)
    """The scale of the logistic prior on the log-odds, around those of `against`."""

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the posterior median of the share, with its interval and the Bayes factor."""
        if hypothesis.against is None:
            raise ValueError("A share is compared with a value; give the value in `against`.")
        refuse_repeats(table, ["participant"])
        answers = yes_or_no(table)
        found = proportion_bayes_factor(
            int(answers.sum()),
            answers.size,
            null=hypothesis.against,
            scale=self.prior_scale,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        estimate = Estimate(
            effect=found.median,
            effect_name=f"share (against {hypothesis.against:g})",
            null_value=hypothesis.against,
            interval=limits(found.interval, self.confidence),
            n_sessions=answers.size,
            n_rows=answers.size,
            groups=(share_of("all", answers, self.confidence),),
        )
        return self.described(estimate, found, scale=self.prior_scale)


@register("analyses", "bayes_correlation")
class BayesCorrelation(_Bayes):
    """Weighs the linear association of two numbers per participant by its Bayes factor."""

    estimand: ClassVar[str] = "the linear correlation over people"
    fit: ClassVar[Fit] = Fit(NUMBERS, needs=frozenset({"other"}), other_scales=NUMBERS)
    prior_scale: float = Field(default=1 / 3, gt=0)
    """The width of the stretched beta prior on the correlation; 1 makes all correlations equally likely."""

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the posterior median of the correlation, with its interval and the Bayes factor."""
        refuse_repeats(table, ["participant"])
        first, second = numbers(table), numbers(table, "other")
        estimate = Estimate(
            effect=None,
            effect_name="correlation",
            null_value=0.0,
            n_sessions=first.size,
            n_rows=first.size,
            groups=summaries_of({"outcome": first, "other": second}, self.confidence),
        )
        if first.size < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
            return estimate.model_copy(update={"notes": (_NO_SPREAD,)})
        found = correlation_bayes_factor(
            float(np.clip(np.corrcoef(first, second)[0, 1], -1 + 1e-12, 1 - 1e-12)),
            first.size,
            scale=self.prior_scale,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        update = {"effect": found.median, "interval": limits(found.interval, self.confidence)}
        return self.described(estimate.model_copy(update=update), found, scale=self.prior_scale)
