"""Power tries every hypothesis in the direction that it claims."""

from pathlib import Path
from typing import Any

import pytest

from tests.small_studies import RIGHT_OR_WRONG, two_group_plain
from understudy.actions.casts import level_from
from understudy.actions.power import PowerQuestion, claimed_directions, power_points
from understudy.errors import StudyError
from understudy.schema import Cast, CastMember, Effect, Ref, Study

SHOWN = Effect(when={"explanation": "shown"}, shift=0)
HIDDEN = Effect(when={"explanation": "hidden"}, shift=0)
CAREFUL = Cast(members=(CastMember(participant=Ref(name="careful"), share=1),))
DEMAND = {"kind": "rating", "question_id": "demand", "prompt": "How hard was it?", "points": 7}


def study_of(*claims: dict[str, Any]) -> Study:
    """Two groups who predict and rate how hard that was."""
    plain = two_group_plain()
    plain["flow"][1]["task"]["params"] = {"questions": [RIGHT_OR_WRONG, DEMAND], "keys": {"guess": "answer"}}
    demand = {"name": "answer", "params": {"question": "demand", "kind": "ordinal"}}
    plain["measures"] = [
        {"name": "correct", "measure": "correct"}, {"name": "demand", "measure": demand}, {"name": "seconds", "measure": "response_time"},
    ]  # fmt: skip
    plain["plan"]["outcomes"] = [{"name": name, "measure": name} for name in ("correct", "demand", "seconds")]
    first = plain["plan"]["hypotheses"][0]
    plain["plan"]["hypotheses"] = [
        {**first, "hypothesis_id": f"H{number}", "analysis": "rank_sum", **claim}
        for number, claim in enumerate(claims, start=1)
    ]
    return Study.model_validate(plain)


MORE_RIGHT = {"outcome": "correct", "direction": "greater"}
LESS_DEMAND = {"outcome": "demand", "direction": "less"}


def test_what_is_claimed_to_fall_is_lowered() -> None:
    assert claimed_directions(study_of(MORE_RIGHT, LESS_DEMAND), SHOWN) == (("demand",), frozenset())


def test_a_two_sided_claim_is_tried_in_the_direction_it_expects() -> None:
    expects = {"outcome": "demand", "direction": "different", "expects": "less"}
    assert claimed_directions(study_of(expects), SHOWN).questions == ("demand",)


def test_an_effect_on_the_other_level_turns_the_claims_around() -> None:
    assert claimed_directions(study_of(MORE_RIGHT, LESS_DEMAND), HIDDEN) == ((), frozenset({"H1"}))


def test_opposite_claims_about_the_same_answers_are_simulated_apart() -> None:
    more = {"outcome": "demand", "direction": "greater"}
    assert claimed_directions(study_of(more, LESS_DEMAND), SHOWN) == ((), frozenset({"H2"}))


def test_faster_answers_come_with_more_ability() -> None:
    assert claimed_directions(study_of({"outcome": "seconds", "direction": "less"}), SHOWN) == ((), frozenset())


def test_a_claim_without_a_direction_is_raised() -> None:
    assert claimed_directions(study_of({"outcome": "demand", "direction": "different"}), SHOWN) == ((), frozenset())


@pytest.mark.parametrize(
    "claims", [(MORE_RIGHT, LESS_DEMAND), ({"outcome": "demand", "direction": "greater"}, LESS_DEMAND)]
)
def test_lower_demand_has_power(claims: tuple[dict[str, Any], ...]) -> None:
    asked = PowerQuestion(study_of(*claims), Path(), CAREFUL, (12,), (3.0,), SHOWN, n_simulations=4, seed=4)
    assert [point.power for point in power_points(asked, n_workers=1)] == [1.0, 1.0]


def crossed(**claim: Any) -> Study:
    """Two groups, each before and after something, whose difference of differences is claimed."""
    plain: dict[str, Any] = study_of(MORE_RIGHT).model_dump(mode="json")
    plain["factors"] = [*plain["factors"], {"name": "phase", "scope": "within", "levels": ["first", "second"]}]
    test = {"name": "logistic_mixed", "params": {"random": "maximal", "tests": "interaction"}}
    plain["plan"]["outcomes"] = [{"name": "correct", "measure": "correct", "summary": "none"}]
    plain["plan"]["hypotheses"] = [
        {**plain["plan"]["hypotheses"][0], "crossed_with": "phase", "analysis": test, **claim}
    ]
    return Study.model_validate(plain)


@pytest.mark.parametrize(
    ("levels", "direction", "is_turned"),
    [
        ("explanation=shown,phase=first", "greater", False),
        ("explanation=shown,phase=second", "greater", True),
        ("explanation=hidden,phase=second", "greater", False),
        ("explanation=hidden,phase=second", "less", True),
    ],
)
def test_an_interaction_is_tried_in_the_direction_it_claims(levels: str, direction: str, is_turned: bool) -> None:
    study = crossed(direction=direction)
    turned = claimed_directions(study, level_from(levels, study)).reversed_hypotheses
    assert turned == (frozenset({"H1"}) if is_turned else frozenset())


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ("explanation=shown,explanation=hidden", "names two levels of 'explanation'"),
        ("explanation=shown,phase=third", "'phase=third' names no level of this study"),
        ("explanation=shown,phase", "is not a level. Write factor=level"),
    ],
)
def test_a_place_of_an_effect_that_does_not_exist_is_refused(levels: str, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        level_from(levels, crossed())
