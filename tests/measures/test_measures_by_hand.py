"""Each measure against events written by hand."""

from typing import Any

import pytest
from pydantic import JsonValue

from understudy.registry import create
from understudy.schema import Event, GateDecided, Interacted, Ref, ResponseGiven, SessionStarted, TrialShown

KEY: dict[str, dict[str, JsonValue]] = {"t1": {"guess": "yes", "size": 3}, "t2": {"guess": "no"}}


def said(trial_id: str = "t1", *, at_ms: int = 2000, rt_ms: float = 1500, active_ms: float | None = None, **response: Any) -> ResponseGiven:  # fmt: skip
    return ResponseGiven(
        session_id="s", seq=2, at_ms=at_ms, step=0, trial_id=trial_id, response=response, rt_ms=rt_ms, active_ms=active_ms
    )  # fmt: skip


def shown(at_ms: int = 500) -> TrialShown:
    return TrialShown(session_id="s", seq=1, at_ms=at_ms, step=0, trial_id="t1")


def did(action: str) -> Interacted:
    return Interacted(session_id="s", seq=3, at_ms=800, step=0, trial_id="t1", action=action)


def decided(block_id: str, try_number: int) -> GateDecided:
    return GateDecided(session_id="s", seq=2, at_ms=900, block_id=block_id, try_number=try_number, score=None, is_passed=False)  # fmt: skip


def score(name: str, *events: Event, **params: Any) -> float | str | None:
    found: float | str | None = create("measures", Ref(name=name, params=params)).score(events, KEY)
    return found


@pytest.mark.parametrize(
    ("response", "question", "expected"),
    [
        ({"guess": "yes", "size": 3}, None, 1.0),
        ({"guess": "yes", "size": 3.0}, None, 1.0),
        ({"guess": "yes", "size": 4}, None, 0.0),
        ({"guess": "yes"}, None, 0.0),
        ({"guess": "yes"}, "guess", 1.0),
        ({"guess": "no"}, "guess", 0.0),
        ({"guess": "yes"}, "color", None),
    ],
)
def test_an_answer_is_correct_when_it_equals_the_key(
    response: dict[str, Any], question: str | None, expected: float | None
) -> None:
    assert score("correct", shown(), said(**response), question=question) == expected


def test_without_a_key_nothing_is_correct_or_wrong() -> None:
    assert score("correct", said("t9", guess="yes")) is None


def test_the_committed_answer_is_the_last_one() -> None:
    assert score("correct", said(guess="no"), said(guess="yes"), question="guess") == 1.0


@pytest.mark.parametrize(
    ("value", "row", "expected"),
    [
        (5, None, 5.0),
        (2.5, None, 2.5),
        (0, None, 0.0),
        ({"x": 4}, "x", 4.0),
        ({"x": 4}, "y", None),
        (4, "x", None),
        ("five", None, None),
        (True, None, None),
        (None, None, None),
    ],
)
def test_an_answer_is_taken_as_its_number(value: Any, row: str | None, expected: float | None) -> None:
    assert score("answer", said(q=value), question="q", row=row) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("a", 1.0), ("b", 0.0), (["b", "a"], 1.0), (["b"], 0.0), ([], 0.0), (None, None)]
)
def test_an_option_is_chosen_or_not(value: Any, expected: float | None) -> None:
    assert score("chosen", said(q=value), question="q", option="a") == expected


@pytest.mark.parametrize(("value", "expected"), [("in words", "in words"), (3, None), (None, None)])
def test_a_worded_answer_is_its_text(value: Any, expected: str | None) -> None:
    assert score("worded", said(q=value), question="q") == expected


@pytest.mark.parametrize("name", ["answer", "chosen", "worded"])
def test_a_question_that_was_not_asked_has_no_answer(name: str) -> None:
    params = {"question": "q", "option": "a"} if name == "chosen" else {"question": "q"}
    assert score(name, shown(), said(other="a"), **params) is None


@pytest.mark.parametrize(("counts", "active_ms", "expected"), [("wall", 900, 1.5), ("active", 900, 0.9), ("active", None, None)])  # fmt: skip
def test_response_time_is_in_seconds(counts: str, active_ms: float | None, expected: float | None) -> None:
    assert score("response_time", shown(), said(active_ms=active_ms), counts=counts) == expected


def test_without_a_response_there_is_no_response_time() -> None:
    assert score("response_time", shown()) is None


def test_session_minutes_count_from_the_first_to_the_last_event_of_the_page() -> None:
    start = SessionStarted.model_validate(
        {
            "session_id": "s", "seq": 1, "at_ms": 0, "study_name": "n", "study_digest": "d", "participant_id": "p",
            "participant_kind": "synthetic", "assignment": {"arrival": 0, "condition": "c", "levels": {}, "seed": 1},
        }
    )  # fmt: skip
    assert score("session_minutes", start, shown(60_000), said(at_ms=150_000), decided("quiz", 1)) == 1.5
    assert score("session_minutes", start) is None


@pytest.mark.parametrize(("action", "expected"), [("opened", 2.0), ("closed", 1.0), ("lost_focus", 0.0)])
def test_actions_are_counted_by_name(action: str, expected: float) -> None:
    assert score("actions", shown(), did("opened"), did("closed"), did("opened"), action=action) == expected


@pytest.mark.parametrize(("block", "expected"), [("quiz", 3.0), ("practice", 1.0), ("other", None)])
def test_tries_are_those_of_one_gate(block: str, expected: float | None) -> None:
    assert score("tries", decided("quiz", 1), decided("practice", 1), decided("quiz", 3), block=block) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [([4, 4, 4, 4], 1.0), ([4, 4, 4, 1], 0.75), ([1, 2], 0.5), ([4], None), ([], None), ([{"x": 1}, {"x": 1}], 1.0)],
)
def test_straight_lining_is_the_share_of_the_most_frequent_answer(values: list[Any], expected: float | None) -> None:
    assert score("straight_lining", *(said(q=value) for value in values), question="q") == expected
