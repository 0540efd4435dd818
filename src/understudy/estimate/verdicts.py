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

from typing import NamedTuple

from understudy.schema import Estimate, Hypothesis, Side, Verdict

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
