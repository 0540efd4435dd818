"""Each measure of reconstruction against a path written by hand."""

import json
from typing import Any

import pytest

from understudy.registry import create
from understudy.schema import Event, Interacted, Json, Ref, ResponseGiven

START: Json = {"widths": [2.0, 10.0, 1.0], "kinds": ["continuous", "periodic", "discrete"], "inputs": [1, 1, 2]}


def event(action: str, t_ms: float, **payload: Any) -> Interacted:
    held = {"t_ms": t_ms, **payload}
    return Interacted(session_id="s", seq=1, at_ms=int(t_ms), step=0, trial_id="t", action=action, payload=held)


def began(code: list[float], error: float = 100.0) -> Interacted:
    return event("question_started", 0.0, code=code, sq_err=error, agreement=0.1, **START)


def moved(t_ms: float, code: list[float], error: float, dial: int, way: int) -> Interacted:
    return event("changed", t_ms, code=code, sq_err=error, agreement=0.5, dial=dial, dir=way)


def ended(t_ms: float, code: list[float], error: float, outcome: str = "solved") -> list[Event]:
    response = ResponseGiven(
        session_id="s", seq=9, at_ms=int(t_ms), step=0, trial_id="t", rt_ms=t_ms, active_ms=t_ms * 0.75,
        response={"dials": {"code": code, "outcome": outcome}},
    )  # fmt: skip
    return [event("finished", t_ms, code=code, sq_err=error, agreement=0.95, outcome=outcome), response]


def score(name: str, events: list[Event], answers: Any = None, **params: Any) -> float | str | None:
    found: float | str | None = create("measures", Ref(name=name, params=params)).score(events, answers or {})
    return found


PATH: list[Event] = [
    began([0.0, 1.0, 1.0, 0.0]),
    moved(1000, [1.0, 1.0, 1.0, 0.0], 60.0, 0, 1),
    moved(2000, [0.5, 1.0, 1.0, 0.0], 50.0, 0, -1),
    moved(3000, [0.5, 9.0, 1.0, 0.0], 70.0, 1, -1),
    moved(4000, [0.5, 9.0, 0.0, 1.0], 40.0, 2, 0),
    moved(9000, [0.1, 9.0, 0.0, 1.0], 4.0, 0, -1),
    event("solved", 9000, code=[0.1, 9.0, 0.0, 1.0], sq_err=4.0, agreement=0.95),
    *ended(10_000, [0.1, 9.0, 0.0, 1.0], 4.0),
]
"""Dial 1 there and back, dial 2 round the end of its circle, a choice, and dial 1 again."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("solved", 1.0),
        ("slide_distance", 0.5 + 0.25 + 0.2 + 1 + 0.2),
        ("path_efficiency", (0.05 + 0.2 + 1) / 2.15),
        ("direction_changes", 1.0),
        ("dial_switches", 3.0),
        ("passes", 2.0),
        ("dial_coverage", 1.0),
        ("scan_order", 2 / 3),
        ("first_visit_share", 1.95 / 2.15),
        ("hill_climb_share", 1.0),
        ("strategy_index", 1.95 / 2.15 - 0.2 / 2.15),
        ("time_to_first_move", 1.0),
        ("time_to_solve", 9.0),
        ("solved_response_time", 10.0),
        ("post_solve_latency", 1.0),
        ("idle_share", 0.25),
    ],
)
def test_a_path_has_its_number(name: str, expected: float) -> None:
    assert score(name, PATH) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("step", 100 + 60 + 50 + 70 + 40 * 5 + 4),
        ("trapezoid", 80 + 55 + 60 + 55 + 22 * 5 + 4),
        ("active", 100 + 60 + 50 + 70 + 40 * 3 + 4),
        ("legacy", 100 + 60 + 50 + 70 + 0 + 4),
        ("relative", 4.84),
    ],
)
def test_the_error_has_an_area_for_each_reading(reading: str, expected: float) -> None:
    assert score("error_auc", PATH, reading=reading) == pytest.approx(expected)


def test_a_skipped_question_is_not_solved() -> None:
    events = [began([0.0, 1.0, 1.0, 0.0]), *ended(5000, [0.0, 1.0, 1.0, 0.0], 100.0, "skipped")]
    assert score("solved", events) == 0.0
    assert score("time_to_solve", events) is None
    assert score("solved_response_time", events) is None
    assert score("response_time", events) == 5.0
    assert score("path_efficiency", events) is None
    assert score("slide_distance", events) == 0.0


@pytest.mark.parametrize("name", ["slide_distance", "error_auc", "passes", "strategy_index", "time_to_first_move"])
def test_broken_payloads_are_not_measured(name: str) -> None:
    broken: list[Event] = [
        event("question_started", 0.0, code="none", widths=[1.0]),
        event("changed", 5.0, code=[None]),
    ]
    assert score(name, broken) is None


def test_the_numbers_of_one_discrete_dial_can_be_told_from_the_code() -> None:
    told = {**PATH[0].payload}  # type: ignore[union-attr]
    del told["inputs"]
    assert score("slide_distance", [PATH[0].model_copy(update={"payload": told}), *PATH[1:]]) == pytest.approx(2.15)


def test_a_visit_that_does_not_end_at_its_best_is_no_climbing() -> None:
    events: list[Event] = [
        began([0.0, 1.0, 1.0, 0.0]),
        moved(1000, [0.4, 1.0, 1.0, 0.0], 20.0, 0, 1),
        moved(2000, [0.2, 1.0, 1.0, 0.0], 60.0, 0, -1),
    ]
    assert score("hill_climb_share", events) == 0.0


def test_the_first_direction_is_right_when_it_leads_to_the_target() -> None:
    truth = {"t": {"target_code": json.dumps([-0.9, 8.0, 0.0, 1.0])}}
    assert score("first_direction_accuracy", PATH, truth) == 0.5
    assert score("first_direction_accuracy", PATH, truth, without=[0]) == 1.0
    assert score("first_direction_accuracy", PATH) is None


def test_learning_compares_the_last_questions_with_the_first() -> None:
    events: list[Event] = []
    for step, outcome in enumerate(["skipped", "skipped", "skipped", "solved", "solved"]):
        given = ended(1000, [0.0, 1.0, 1.0, 0.0], 1.0, outcome)[-1]
        events.append(given.model_copy(update={"step": step, "seq": step + 1}))
    assert score("learning", events) == 1.0
    assert score("learning", events[:2]) is None
    assert score("learning", [*events, *events], n_questions=5) == 1.0


def test_stages_of_a_session_are_averaged() -> None:
    events: list[Event] = []
    for step, outcome in enumerate(["skipped", "solved", "solved", "solved", "solved", "skipped"]):
        given = ended(1000, [0.0, 1.0, 1.0, 0.0], 1.0, outcome)[-1]
        events.append(given.model_copy(update={"step": step, "seq": step + 1}))
    assert score("learning", events, n_questions=3) == 0.0
