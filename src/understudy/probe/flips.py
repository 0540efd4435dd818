"""The thresholds at which a verdict changes; they are exact because outcomes change only at p-values."""

from collections.abc import Sequence

from understudy.probe.hypotheses import HYPOTHESES
from understudy.probe.rules import judged
from understudy.schema import RuleOptions, Verdicts
from understudy.schema.probe import Comparison, Flip, HypothesisId, Sign, State


def flips_of(comparisons: Sequence[Comparison], options: RuleOptions) -> tuple[Flip, ...]:
    """Return every change of a verdict as the threshold rises from 0 to 1; below the first, all are unproven.

    An entry holds for thresholds above its `alpha`, up to and including the next entry of the same hypothesis.
    """
    state: dict[HypothesisId, State] = dict.fromkeys(HYPOTHESES, "unproven")
    flips = []
    for level in sorted(
        {
            comparison.p_adjusted
            for comparison in comparisons
            if comparison.difference != 0 and comparison.p_adjusted < 1
        }
    ):
        # Significance is p < alpha, so an outcome changes just above its own p-value.
        judgements = judged({comparison.id: _sign_above(comparison, level) for comparison in comparisons}, options)
        for hypothesis in HYPOTHESES:
            if judgements[hypothesis].state != state[hypothesis]:
                state[hypothesis] = judgements[hypothesis].state
                flips.append(Flip(hypothesis=hypothesis, alpha=level, to=state[hypothesis]))
    return tuple(flips)


def nearest_flips(verdicts: Verdicts, hypothesis: HypothesisId) -> tuple[Flip | None, Flip | None]:
    """Return the nearest changes of a verdict: the last flip below the threshold, and the next one above."""
    flips = [flip for flip in verdicts.flips if flip.hypothesis == hypothesis]
    below = [flip for flip in flips if flip.alpha < verdicts.alpha]
    above = [flip for flip in flips if flip.alpha >= verdicts.alpha]
    return (below[-1] if below else None, above[0] if above else None)


def _sign_above(comparison: Comparison, level: float) -> Sign:
    if comparison.difference == 0 or comparison.p_adjusted > level:
        return "~"
    return ">" if comparison.difference > 0 else "<"
