"""Words of a claim are compared with the direction that its plan states."""

from typing import Any

import pytest

from tests.estimate.plan_samples import VARIABLES, hypothesis, outcome, plan
from understudy.estimate import plan_cautions, variables_from_study
from understudy.protocols import ready_names, ready_study

OUTCOMES = (outcome(), outcome("rt", "rt"), outcome("accuracy_by_phase", by=("phase",)))
BETWEEN = {"factor": "method", "contrast": ("lime", "none")}


def cautions(claim: str, **fields: Any) -> list[str]:
    tested = hypothesis(claim=claim, **{**BETWEEN, **fields})
    return plan_cautions(plan(tested, outcomes=OUTCOMES), VARIABLES)


@pytest.mark.parametrize(
    ("claim", "fields"),
    [
        ("Accuracy is lower with lime.", {"direction": "greater"}),
        ("People are worse with lime than with none.", {"direction": "greater"}),
        ("Accuracy is higher than with lime.", {"direction": "greater"}),
        ("Accuracy is higher with none than with lime.", {"expects": "greater"}),
        ("With lime people improve.", {"direction": "less"}),
        ("Answers take longer with lime.", {"outcome": "rt", "direction": "less"}),
        ("People are slower with lime.", {"outcome": "rt", "direction": "less"}),
        ("People are faster with none.", {"outcome": "rt", "direction": "less"}),
        ("Compared with none, accuracy is lower with lime.", {"expects": "greater"}),
        ("Accuracy is lower than chance.", {"factor": None, "contrast": None, "against": 0.5, "direction": "greater"}),
    ],
)
def test_words_against_the_direction_are_told(claim: str, fields: dict[str, Any]) -> None:
    (said,) = cautions(claim, **fields)
    assert "in its claim, but the plan claims" in said
    assert said.endswith("Correct the words or the direction.")


@pytest.mark.parametrize(
    ("claim", "fields"),
    [
        ("Accuracy is higher with lime.", {"direction": "greater"}),
        ("People are better with lime than with none.", {"expects": "greater"}),
        ("Accuracy is lower with none.", {"direction": "greater"}),
        ("Compared with none, accuracy is higher with lime.", {"direction": "greater"}),
        ("People are better with lime.", {"outcome": "rt", "direction": "less"}),
        ("People are quicker with lime.", {"outcome": "rt", "direction": "less"}),
        ("With lime people are faster to learn.", {"direction": "greater"}),
        ("People make more errors with lime.", {"direction": "less"}),
        ("Accuracy is not lower with lime.", {"direction": "greater"}),
        ("People score higher with the explanation.", {"direction": "less"}),
        ("Accuracy differs between lime and none.", {}),
        ("It matters.", {"direction": "greater"}),
    ],
)
def test_words_that_agree_or_could_mean_either_are_left_alone(claim: str, fields: dict[str, Any]) -> None:
    assert cautions(claim, **fields) == []


def test_a_direction_in_words_only_is_told() -> None:
    (said,) = cautions("Accuracy is higher with none.")
    assert "the plan states no direction, so an effect the other way would count as support" in said
    assert 'Add expects = "less"' in said


def test_a_test_of_all_levels_is_told_to_name_two() -> None:
    (said,) = cautions("Accuracy is higher with lime.", contrast=None, analysis="omnibus", outcome="rt")
    assert "Name two levels in `contrast`" in said


@pytest.mark.parametrize("name", ready_names())
def test_the_words_of_ready_studies_agree_with_their_directions(name: str) -> None:
    study = ready_study(name)
    assert [said for said in plan_cautions(study.plan, variables_from_study(study)) if "in its claim" in said] == []
