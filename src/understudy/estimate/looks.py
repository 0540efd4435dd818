"""Looks of a sequential study: which were reached, what they may spend, and p-values that allow for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from understudy.analyses.kernels.group_sequential import Sides, boundaries, repeated_p
from understudy.schema import AnalysisPlan, Finding, Hypothesis, LookRow, Sequential


@dataclass(frozen=True)
class Looked:
    """The look that data are taken at, and the p-values of the looks before it."""

    sequential: Sequential
    number: int
    """From 1 on."""
    earlier: Mapping[str, Sequence[float | None]]
    """By hypothesis: the p-value of each earlier look."""

    def overall_p(self, hypothesis: Hypothesis, p_value: float | None) -> float | None:
        """Return the p-value of the whole study so far: the smallest alpha at which some look would have rejected."""
        earlier = self.earlier.get(hypothesis.hypothesis_id, (None,) * (self.number - 1))
        found = [
            repeated_p(p, self._fractions(look), self.sequential.spending, sides_of(hypothesis))
            for look, p in enumerate([*earlier, p_value], start=1)
            if p is not None
        ]
        return min(found, default=None)

    def at(self, plan: AnalysisPlan) -> AnalysisPlan:
        """Return the plan with repeated confidence intervals: all looks together keep the plan's confidence."""
        bounds = boundaries(self._fractions(self.number), 1 - plan.confidence, self.sequential.spending)
        return plan.model_copy(update={"confidence": 1 - bounds.nominal[-1]})

    def words(self, hypothesis: Hypothesis, plan: AnalysisPlan) -> str:
        """Say which look this is and which p-value rejects at it."""
        alpha = plan.alpha if hypothesis.alpha is None else hypothesis.alpha
        fractions = self._fractions(self.number)
        bound = boundaries(fractions, alpha, self.sequential.spending, sides_of(hypothesis)).nominal[-1]
        looks = self.sequential.looks
        return (
            f"Look {self.number} of {len(looks)}, at {looks[self.number - 1]} of {looks[-1]} people: a p-value below "
            f"{bound:.3g} rejects here. The adjusted p-value allows for all looks so far, and the interval is widened for them."
        )

    def _fractions(self, number: int) -> tuple[float, ...]:
        return tuple(n / self.sequential.looks[-1] for n in self.sequential.looks[:number])


def sides_of(hypothesis: Hypothesis) -> Sides:
    """Return whether a test rejects on two sides; F and chi-square tests count as two-sided."""
    return "two" if hypothesis.direction == "different" else "one"


def look_rows(plan: AnalysisPlan, n_analysed: int) -> tuple[LookRow, ...]:
    """Return every planned look with its bounds in two-sided tests and, if the plan has any, in one-sided ones."""
    sequential = plan.sequential
    if sequential is None:
        return ()
    fractions = [n / sequential.looks[-1] for n in sequential.looks]
    found = boundaries(fractions, plan.alpha, sequential.spending)
    one_sided: tuple[float | None, ...] = (None,) * len(fractions)
    if any(sides_of(hypothesis) == "one" for hypothesis in plan.hypotheses):
        one_sided = boundaries(fractions, plan.alpha, sequential.spending, "one").nominal
    return tuple(
        LookRow(n=n, nominal=two, nominal_one_sided=one, spent=spent, is_reached=n <= n_analysed)
        for n, two, one, spent in zip(sequential.looks, found.nominal, one_sided, found.spent, strict=True)
    )


def untested(plan: AnalysisPlan, sequential: Sequential, n_analysed: int) -> tuple[Finding, ...]:
    """Return a finding for each hypothesis before the first look, which says nothing about the data."""
    return tuple(
        Finding(
            hypothesis_id=hypothesis.hypothesis_id,
            claim=hypothesis.claim,
            analysis="none yet",
            estimate=None,
            p_adjusted=None,
            alpha=plan.alpha if hypothesis.alpha is None else hypothesis.alpha,
            verdict="not_tested",
            status="exploratory",
            why=(sequential.sentence(n_analysed),),
        )
        for hypothesis in plan.hypotheses
    )
