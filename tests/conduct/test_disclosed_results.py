"""What people are told about how they did: right after a page, or by a rule at the end, and never before."""

from pathlib import Path
from typing import Any

import pytest

from tests.playing import Player, quiz, script_of, stage, study_of
from tests.small_studies import RIGHT_OR_WRONG, numbered_items
from understudy.check.study_check import study_faults
from understudy.conduct import Script
from understudy.schema import Study

BELIEF = {"kind": "rating", "question_id": "belief", "prompt": "Is the model right?", "points": 4}
SHARE = {"rule": "share_correct", "block": "predict", "question": "guess", "chance": 0.5, "title": "Your guesses"}
SPLIT = {"rule": "median_split", "block": "predict", "question": "belief", "attribute": "model_is"}


def telling(*rules: dict[str, Any]) -> Study:
    task = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG, BELIEF], "keys": {"guess": "answer"}}}
    items = numbered_items(4, answer=["yes", "no"], model_is=["right", "wrong"])
    return study_of(
        {**stage("predict"), "task": task},
        {
            "kind": "screen",
            "block_id": "told",
            "purpose": "feedback",
            "task": {"name": "disclosure", "params": {"rules": list(rules), "text": "How you did"}},
        },
        item_sets=[{"name": "cases", "n_items": 4, "dataset": items}],
    )


def told(script: Script, **assigned: Any) -> Any:
    player = Player(script, **assigned).until("predict")
    while player.step.visit.block.block_id == "predict":
        model_is = script.truth[player.step.trial.trial_id]["model_is"]
        player.answer(guess="yes", belief=4 if model_is == "right" else 3)
    return player.step.feedback["results"]


def test_the_share_of_right_answers_comes_with_the_page_that_tells_it() -> None:
    assert told(script_of(telling(SHARE))) == [
        {"rule": "share_correct", "title": "Your guesses", "n": 4, "n_right": 2, "chance": 0.5}
    ]


def test_ratings_are_split_at_their_middle_by_what_the_server_knows() -> None:
    (result,) = told(script_of(telling(SPLIT)))
    assert result["n_right"] == 4
    assert [group["ratings"] for group in result["groups"]] == [[4, 4], [3, 3]]


def test_no_earlier_page_is_told_a_result() -> None:
    player = Player(script_of(telling(SHARE))).until("told")
    assert all("results" not in step.feedback for step in player.steps)


def test_what_a_page_is_shown_does_not_hold_the_rule() -> None:
    script = script_of(telling(SPLIT))
    (trial,) = [trial for trial in script.trials.values() if trial.block_id == "told"]
    assert trial.params == {"text": "How you did"}


def test_ties_are_filled_by_the_seed_of_the_session() -> None:
    script = script_of(telling(SPLIT))

    def n_right(seed: int) -> int:
        player = Player(script, seed=seed).until("predict").until("told", belief=3)
        return player.step.feedback["results"][0]["n_right"]  # type: ignore[index, call-overload, return-value]

    assert {n_right(seed) for seed in range(40)} == {0, 2, 4}
    assert n_right(5) == n_right(5)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({**SHARE, "block": "nowhere"}, "'told' tells the result of 'nowhere', which is not a block"),
        ({**SHARE, "question": "colour"}, "'told' tells the result of 'colour', which 'predict' does not ask"),
    ],
)
def test_a_rule_about_what_is_never_asked_is_a_fault(rule: dict[str, Any], message: str) -> None:
    assert any(message in fault for fault in study_faults(telling(rule), Path()))


def test_a_screen_can_say_on_the_next_page_whether_its_answers_were_right() -> None:
    checked = {name: value for name, value in quiz().items() if name != "gate"}
    player = Player(script_of(study_of({**checked, "feedback": "per_trial"}, stage("predict")))).until("quiz")
    player.answer(quiz="that")
    assert player.step.feedback == {"answers": {"quiz": "this"}, "is_correct": False}
