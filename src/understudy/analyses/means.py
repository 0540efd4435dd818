"""Means and shares with their intervals: estimation without a test."""

from typing import ClassVar

from understudy.analyses.kernels.describe import mean_summary
from understudy.analyses.kernels.describe import proportion as wilson_proportion
from understudy.analyses.results import limits, share_of, summary_of
from understudy.analyses.rows import n_participants, numbers_of_people, yes_or_no
from understudy.analyses.scales import NUMBERS, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

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
