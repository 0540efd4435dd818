"""Answers that a session refuses, and the sentence each gets."""

from typing import Any

from tests.playing import CONFIDENCE, Player, script_of, stage, study_of


def guess() -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = stage("any")["task"]["params"]["questions"]
    return questions


def asked() -> Player:
    both = {
        "name": "judge",
        "params": {"questions": [{**CONFIDENCE, "is_required": False}, *guess()], "keys": {"guess": "answer"}},
    }
    return Player(script_of(study_of({**stage("predict"), "task": both}))).until("predict")


def test_a_fitting_answer_has_no_fault() -> None:
    player = asked()
    assert player.session.fault_of(player.response()) is None


def test_an_answer_to_another_step_is_refused() -> None:
    player = asked()
    late = player.response().model_copy(update={"step": 0})
    assert "not the current step" in str(player.session.fault_of(late))


def test_an_answer_to_another_trial_is_refused() -> None:
    player = asked()
    other = player.response().model_copy(update={"trial_id": "predict.other"})
    assert "not the current step" in str(player.session.fault_of(other))


def test_a_missing_required_answer_is_refused() -> None:
    player = asked()
    assert player.session.fault_of(player.response(guess=None)) == "'guess' is not answered."


def test_an_optional_question_may_stay_open() -> None:
    player = asked()
    assert player.session.fault_of(player.response(confidence=None)) is None


def test_an_impossible_answer_is_refused() -> None:
    player = asked()
    assert player.session.fault_of(player.response(guess="perhaps")) == "'perhaps' is not a possible answer to 'guess'."


def test_an_answer_to_what_was_not_asked_is_refused() -> None:
    player = asked()
    assert player.session.fault_of(player.response(age=7)) == "'age' was not asked."


def test_an_ended_session_takes_no_answer() -> None:
    player = asked()
    late = player.response()
    assert player.finish().session.fault_of(late) == "The session has ended."
