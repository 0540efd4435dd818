"""Looks of a sequential study: which were reached, what they may spend, and p-values that allow for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from understudy.analyses.kernels.group_sequential import Sides, boundaries, repeated_p
from understudy.schema import AnalysisPlan, Finding, Hypothesis, LookRow, Sequential, Side


class EarlierTest(NamedTuple):
    """What a test found at an earlier look."""

    p_value: float | None = None
    side: Side | None = None
    """On which side of no effect the data were then."""


class Decided(NamedTuple):
    """The p-value of a whole sequential study so far, and the look that it comes from."""

    p_value: float
    look: int
    side: Side | None


@dataclass(frozen=True)
class Looked:
    """The look that data are taken at, and the p-values of the looks before it."""

    sequential: Sequential
    number: int
    """From 1 on."""
    earlier: Mapping[str, Sequence[EarlierTest]]
    """By hypothesis: what each earlier look found."""

    def decided(self, hypothesis: Hypothesis, now: EarlierTest) -> Decided | None:
        """Return the p-value of the whole study so far: the smallest alpha at which some look would have rejected.

        The look that gives it says on which side the effect lies: what is rejected stays rejected, and a later estimate
        on the other side of no effect does not turn it around.
        """
        earlier = self.earlier.get(hypothesis.hypothesis_id, (EarlierTest(),) * (self.number - 1))
        found = [
            Decided(repeated_p(p, self._fractions(look), self.sequential.spending, sides_of(hypothesis)), look, side)
            for look, (p, side) in enumerate([*earlier, now], start=1)
            if p is not None
        ]
        return min(found, key=lambda decided: decided.p_value, default=None)

    @property
    def is_interim(self) -> bool:
        """Whether looks are still to come."""
        return self.number < len(self.sequential.looks)

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


def look_rows(plan: AnalysisPlan, n_reached: int) -> tuple[LookRow, ...]:
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
        LookRow(n=n, nominal=two, nominal_one_sided=one, spent=spent, is_reached=number <= n_reached)
        for number, (n, two, one, spent) in enumerate(
            zip(sequential.looks, found.nominal, one_sided, found.spent, strict=True), start=1
        )
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
            is_interim=True,
        )
        for hypothesis in plan.hypotheses
    )
