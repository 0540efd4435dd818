"""A plan that can be run, but whose analysis is known to be wrong too often, is warned of before data exist."""

from typing import Any

import pytest

from tests.estimate.plan_samples import VARIABLES, hypothesis, outcome, plan
from understudy.estimate import plan_cautions

TRIALS = (outcome(summary=None),)
INTERCEPTS = ["participant", "item"]


def cautions(factor: str, analysis: str = "logistic_mixed", **params: Any) -> str:
    claim = hypothesis(claim="It matters.", factor=factor, contrast=None, analysis={"name": analysis, "params": params})
    return " ".join(plan_cautions(plan(claim, outcomes=TRIALS), VARIABLES))


@pytest.mark.parametrize(("factor", "groups"), [("phase", ["participant", "item"]), ("method", ["item"])])
def test_intercepts_alone_are_warned_of_where_a_factor_varies_within(factor: str, groups: list[str]) -> None:
    said = cautions(factor, random=INTERCEPTS)
    named = [group for group in ("participant", "item") if f"'{factor}' varies within each {group}," in said]
    assert (named, 'Use random = "maximal".' in said) == (groups, True)


@pytest.mark.parametrize("random", ["maximal", [{"group": "participant", "slopes": ["phase"]}]])
def test_a_model_with_the_slopes_is_not_warned_of(random: Any) -> None:
    assert cautions("phase", random=random) == ""


def test_one_row_per_person_has_no_slopes_to_miss() -> None:
    claim = hypothesis(
        claim="It matters.", factor="phase", analysis={"name": "linear_mixed", "params": {"random": ["participant"]}}
    )
    assert plan_cautions(plan(claim, outcomes=(outcome(by=("phase",)),)), VARIABLES) == []
