"""Flips: the thresholds at which a verdict changes, exact because outcomes change only at p-values."""

from collections.abc import Sequence

from understudy.probe.hypotheses import HYPOTHESES
from understudy.probe.rules import judged
from understudy.schema import RuleOptions, Verdicts
from understudy.schema.probe import Comparison, Flip, HypothesisId, Sign, State


def flips_of(comparisons: Sequence[Comparison], options: RuleOptions) -> tuple[Flip, ...]:
    """Walk the threshold from 0 to 1 and note every change of a verdict; before the first, all are unproven.

    An entry holds for thresholds above its `alpha`, up to and with the next entry of the same hypothesis.
    """
    state: dict[HypothesisId, State] = dict.fromkeys(HYPOTHESES, "unproven")
    flips = []
    for level in sorted({one.p_adjusted for one in comparisons if one.difference != 0 and one.p_adjusted < 1}):
        found = judged({one.id: _sign_above(one, level) for one in comparisons}, options)
        for hypothesis in HYPOTHESES:
            if found[hypothesis].state != state[hypothesis]:
                state[hypothesis] = found[hypothesis].state
                flips.append(Flip(hypothesis=hypothesis, alpha=level, to=state[hypothesis]))
    return tuple(flips)


def nearest_flips(verdicts: Verdicts, hypothesis: HypothesisId) -> tuple[Flip | None, Flip | None]:
    """Return what would change a verdict: the flip that a lower threshold undoes, and the next at a higher one."""
    mine = [one for one in verdicts.flips if one.hypothesis == hypothesis]
    below = [one for one in mine if one.alpha < verdicts.alpha]
    above = [one for one in mine if one.alpha >= verdicts.alpha]
    return (below[-1] if below else None, above[0] if above else None)


def _sign_above(one: Comparison, level: float) -> Sign:
    if one.difference == 0 or one.p_adjusted > level:
        return "~"
    return ">" if one.difference > 0 else "<"
