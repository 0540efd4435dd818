"""Verdicts: what a corrected p-value and the direction of an effect say about a claim.

The rule, for a claim with a direction (`direction` greater or less, or `expects` with a two-sided test):

- **supported**: the corrected p-value is below alpha, and the tested statistic is not on the opposite side of no effect.
- **opposite**: the reversed claim, tested by the same analysis at the same alpha with the same correction, would be
  supported. A two-sided test has one p-value for both claims, so the side of the tested statistic decides. A one-sided
  test is run again in the other direction, and its p-value replaces the first one in the correction.
- **inconclusive**: a one-sided test rejects, but the tested statistic is on the opposite side. No proper test does that.
- **not_supported**: none of these.

A claim without a direction is supported by its p-value alone. Equivalence tests have no opposite.

A Bayes factor decides by a threshold T instead: supported from T on, not supported (with evidence for no effect) up to
1/T, inconclusive between. It is opposite where the reversed claim reaches T.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from understudy.schema import AnalysisPlan, Estimate, Family, Finding, Hypothesis, LookRow, Sequential, Side, Verdict
from understudy.statistics.group_sequential import Sides, boundaries, repeated_p
from understudy.statistics.multiple_comparisons import benjamini_hochberg, bonferroni, holm

# Corrections for multiple tests, and the order in which gated hypotheses are decided.


@dataclass(frozen=True)
class CorrectionGroup:
    """Hypotheses decided together: a family, or a single hypothesis."""

    family: Family | None
    members: tuple[Hypothesis, ...]


def correction_groups(plan: AnalysisPlan) -> tuple[CorrectionGroup, ...]:
    """Return the groups in an order in which every gate is decided before the hypotheses behind it.

    Groups whose gates form a cycle are left out, because they have no such order.
    """
    families = {family.name: family for family in plan.families}
    members: dict[str, list[Hypothesis]] = {}
    for hypothesis in plan.hypotheses:
        members.setdefault(group_key(hypothesis), []).append(hypothesis)
    key_of = {h.hypothesis_id: group_key(h) for h in plan.hypotheses}
    needs = {
        key: {key_of[h.requires] for h in hypotheses if h.requires in key_of} for key, hypotheses in members.items()
    }  # fmt: skip
    ordered: list[str] = []
    # A topological sort (Kahn 1962): each round takes the groups whose gates are all decided.
    while ready := [key for key in members if key not in ordered and needs[key] <= set(ordered)]:
        ordered.extend(ready)
    return tuple(CorrectionGroup(families.get(members[key][0].family or ""), tuple(members[key])) for key in ordered)


def group_key(hypothesis: Hypothesis) -> str:
    """Return the key of a hypothesis's group: its family, or itself."""
    return f"family {hypothesis.family}" if hypothesis.family else f"hypothesis {hypothesis.hypothesis_id}"


def adjusted_p_values(p_values: Sequence[float | None], family: Family | None) -> list[float | None]:
    """Correct the p-values of one group; a test without a p-value still counts as one of the family."""
    if family is None or family.correction == "none":
        return list(p_values)
    adjust = {"bonferroni": bonferroni, "holm": holm, "fdr": benjamini_hochberg}[family.correction]
    n_tests = max(family.n_tests or 0, len(p_values))
    # A missing p-value counts as 1, so that it takes part in the correction but is never rejected.
    adjusted = adjust([1.0 if p is None else p for p in p_values], family_size=n_tests)
    return [None if p is None else float(value) for p, value in zip(p_values, adjusted, strict=True)]


# Looks of a sequential study: which were reached, what they may spend, and p-values that allow for all of them.


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


REVERSED: dict[Side, Side] = {"greater": "less", "less": "greater"}
_UNKNOWN_SIDE = "The test finds a difference, but neither its statistic nor the estimate says in which direction."
_DISAGREEMENT = (
    "The one-sided test supports the claim, but the data lie on the other side of no effect. Check the analysis."
)
_USUAL_THRESHOLD = 10.0


class CorrectedP(NamedTuple):
    """The corrected p-values of a claim and, for a one-sided test, of the reversed claim if needed."""

    claim: float
    reversed: float | None = None


_USUAL_LEVEL = 0.949
"""Intervals below it, such as those of ranks of very few people, say less than a test at .05."""


class Judgement(NamedTuple):
    """A verdict, and reasons if it needs any."""

    verdict: Verdict
    why: tuple[str, ...] = ()


def claimed_side(hypothesis: Hypothesis) -> Side | None:
    """Return the direction that a hypothesis claims, with a one-sided or two-sided test; None without one."""
    if hypothesis.direction == "greater" or hypothesis.direction == "less":
        return hypothesis.direction
    return hypothesis.expects


def reversed_hypothesis(hypothesis: Hypothesis, p_value: float | None, alpha: float) -> Hypothesis | None:
    """Return the reversed claim of a one-sided test; None if there is none, or if it cannot be supported.

    The p-values of the two directions add up to at least 1, so the second test is skipped if the first shows that its
    p-value cannot be below alpha.
    """
    if hypothesis.direction not in ("greater", "less") or p_value is None or 1 - p_value >= alpha:
        return None
    return hypothesis.model_copy(update={"direction": REVERSED[hypothesis.direction]})


def needs_side(hypothesis: Hypothesis, estimate: Estimate, alpha: float) -> bool:
    """Return whether a two-sided test that rejects does not say on which side the data lie, though the claim names one."""
    if hypothesis.direction != "different" or hypothesis.expects is None or estimate.p_value is None:
        return False
    return estimate.p_value < alpha and estimate.tested_side is None


def judge(hypothesis: Hypothesis, estimate: Estimate, p_value: CorrectedP, alpha: float) -> Judgement:
    """Return the verdict on a tested claim."""
    claimed, side = claimed_side(hypothesis), estimate.tested_side
    if p_value.claim >= alpha:
        if p_value.reversed is not None and p_value.reversed < alpha:
            return Judgement("opposite", (_reversed_words(p_value.reversed), both_sides_words(alpha)))
        return Judgement("not_supported")
    is_one_sided = hypothesis.direction != "different"
    # A one-sided p-value says the side by itself, unless the data lie on the other one.
    if claimed is None or side == claimed or (side is None and is_one_sided):
        return Judgement("supported")
    if side is None:
        return Judgement("inconclusive", (_UNKNOWN_SIDE,))
    return Judgement("inconclusive", (_DISAGREEMENT,)) if is_one_sided else Judgement("opposite")


def both_sides_words(alpha: float) -> str:
    """Say what it means that the reverse of a one-sided claim is judged, too."""
    return (
        f"Judging the reverse as well makes this one-sided test at alpha = {alpha:g} a two-sided one at {2 * alpha:g}: in the "
        "claimed direction alone, it errs as often as alpha says."
    )


def _reversed_words(p_value: float) -> str:
    """Say what the test gives for the reversed claim: next to "opposite", the large p of the claim alone would mislead."""
    shown = "p < .0001" if p_value < 0.0001 else f"p = {p_value:.4f}"
    return f"The reversed claim has {shown}, after the same correction."


def side_words(hypothesis: Hypothesis, estimate: Estimate, verdict: Verdict) -> tuple[str, ...]:
    """Say that an estimate is not on the side of no effect that was found; nothing where it is."""
    side, null = estimate.tested_side, estimate.null_value
    if verdict not in ("supported", "opposite") or null is None or estimate.effect is None:
        return ()
    # The statistic of an equivalence test is about one of its bounds.
    if hypothesis.direction == "equivalent":
        return ()
    if side is None or side == estimate.estimated_side:
        return ()
    where = f"is exactly {null:g}" if estimate.estimated_side is None else f"lies on the other side of {null:g}"
    more = "above" if side == "greater" else "below"
    tested = f"{estimate.statistic_name}, which was tested," if estimate.statistic_name else "the test"
    return (f"The {estimate.effect_name} {where}, but {tested} lies {more} no effect, and decides.",)


def interval_words(hypothesis: Hypothesis, estimate: Estimate, verdict: Verdict) -> tuple[str, ...]:
    """Say why an interval and a test disagree about no effect; nothing where they agree or cannot be compared."""
    span, null = estimate.interval, estimate.null_value
    if span is None or null is None or estimate.p_value is None or hypothesis.direction == "equivalent":
        return ()
    holds_null = (span.low is None or span.low <= null) and (span.high is None or null <= span.high)
    computed = "they are computed in different ways, and the test decides"
    if verdict in ("supported", "opposite") and holds_null:
        is_one_sided = hypothesis.direction in REVERSED
        if is_one_sided or estimate.statistic_name == "F":
            test = "the test is one-sided" if is_one_sided else "an F test has one side"
            why = f"its {1 - span.level:.2g} is for both sides, {test}"
        else:
            why = computed
        return (f"The interval includes {null:g}, which the test rejects: {why}.",)
    if (
        verdict == "not_supported"
        and not holds_null
        and estimate.tested_side == (claimed_side(hypothesis) or estimate.tested_side)
    ):
        is_corrected = estimate.p_value < 1 - span.level
        why = "only the test is corrected for other tests" if is_corrected else computed
        if span.level < _USUAL_LEVEL:
            why = f"the level of the interval is only {100 * span.level:.0f} %"
        return (f"The interval excludes {null:g}, which the test does not reject: {why}.",)
    return ()


def judge_bayes_factor(hypothesis: Hypothesis, estimate: Estimate, reversed_factor: float | None) -> Judgement:
    """Return the verdict of a Bayes factor; `reversed_factor` is that of the reversed claim of a one-sided one."""
    factor, threshold = estimate.bayes_factor or 0.0, estimate.details.get("threshold") or _USUAL_THRESHOLD
    claimed, side = claimed_side(hypothesis), estimate.tested_side
    if reversed_factor is not None and reversed_factor >= threshold:
        return Judgement("opposite", (f"The Bayes factor of the reversed claim is {reversed_factor:.3g}.",))
    if factor >= threshold:
        if claimed is None or side in (None, claimed):
            return Judgement("supported")
        return (
            Judgement("opposite")
            if hypothesis.direction == "different"
            else Judgement("inconclusive", (_DISAGREEMENT,))
        )
    if factor <= 1 / threshold:
        return Judgement(
            "not_supported", (f"The data are {1 / factor:.3g} times as likely without the effect.",) if factor else ()
        )
    between = f"The Bayes factor {factor:.3g} lies between {1 / threshold:.3g} and {threshold:.3g}."
    return Judgement("inconclusive", (between,))
