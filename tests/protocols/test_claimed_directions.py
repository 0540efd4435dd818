"""Ready studies say which way their claims go, and harm never counts as support for one."""

import re
from typing import Literal

import pytest

from understudy.estimate.verdicts import REVERSED, CorrectedP, claimed_side, judge, judge_bayes_factor
from understudy.protocols import ready_names, ready_study
from understudy.schema import Estimate, Hypothesis

DIRECTED_WORDS = re.compile(r"\b(more|less|better|worse|higher|lower|advantage|improves?|helps?)\b")


def hypotheses() -> list[tuple[str, Hypothesis]]:
    return [(name, hypothesis) for name in ready_names() for hypothesis in ready_study(name).plan.hypotheses]


def estimate(effect: float) -> Estimate:
    return Estimate(effect=effect, effect_name="difference", null_value=0.0, n_sessions=9, n_rows=9)


@pytest.mark.parametrize("name", ready_names())
def test_a_claim_whose_words_have_a_direction_states_it_in_the_plan(name: str) -> None:
    silent = [hypothesis.claim for hypothesis in ready_study(name).plan.hypotheses if claimed_side(hypothesis) is None]
    assert [claim for claim in silent if DIRECTED_WORDS.search(claim)] == []


@pytest.mark.parametrize("p_value", [0.0, 0.001, 0.049, 0.2, 0.97, 1.0])
def test_no_effect_the_other_way_supports_a_claim_of_a_ready_study(p_value: float) -> None:
    directed = [(one, side) for _, one in hypotheses() if (side := claimed_side(one)) is not None]
    assert directed
    for one, side in directed:
        against = estimate(-0.58 if side == "greater" else 0.58)
        verdict = judge(one, against, CorrectedP(p_value, 1 - p_value), 0.05).verdict
        assert verdict != "supported"
        strong = against.model_copy(update={"bayes_factor": 30.0})
        assert judge_bayes_factor(one, strong, None).verdict != "supported"


@pytest.mark.parametrize("side", ["greater", "less"])
def test_a_significant_harm_is_called_opposite(side: Literal["greater", "less"]) -> None:
    one = next(one for _, one in hypotheses() if one.expects is not None)
    claim = one.model_copy(update={"expects": side})
    effect = 0.58 if REVERSED[side] == "greater" else -0.58
    assert judge(claim, estimate(effect), CorrectedP(0.001), 0.05).verdict == "opposite"
