"""Questions: for each kind, answers that count and answers that do not."""

from typing import Any

import pytest
from pydantic import JsonValue, TypeAdapter, ValidationError

from understudy.schema import questions

ASKED = {"question_id": "q", "prompt": "Well?"}
CHOICE = questions.Choice(**ASKED, options=("yes", "no"))
SOME = questions.MultipleChoice(**ASKED, options=("a", "b", "c"), min_chosen=1)
RATING = questions.Rating(**ASKED, points=5)
MATRIX = questions.Matrix(**ASKED, rows=("clear", "fair"), points=5)
SLIDER = questions.Slider(**ASKED, low=-1, high=1)
NUMBER = questions.Number(**ASKED, low=18, high=99, is_whole=True)
OPEN_NUMBER = questions.Number(**ASKED)
TEXT = questions.FreeText(**ASKED, min_chars=3, max_chars=8)
RANKING = questions.Ranking(**ASKED, options=("a", "b", "c"))

VALID: list[tuple[questions.Question, JsonValue]] = [
    (CHOICE, "yes"),
    (CHOICE, "no"),
    (SOME, ["a"]),
    (SOME, ["a", "c"]),
    (SOME, ["a", "b", "c"]),
    (questions.MultipleChoice(**ASKED, options=("a", "b")), []),
    (RATING, 1),
    (RATING, 5),
    (MATRIX, {"fair": 5, "clear": 1}),
    (SLIDER, -1),
    (SLIDER, 0.25),
    (SLIDER, 1.0),
    (NUMBER, 18),
    (NUMBER, 99.0),
    (OPEN_NUMBER, -1e9),
    (OPEN_NUMBER, 0),
    (TEXT, "fox"),
    (TEXT, " a fox "),
    (questions.FreeText(**ASKED), ""),
    (RANKING, ["c", "a", "b"]),
]
INVALID: list[tuple[questions.Question, JsonValue]] = [
    (CHOICE, "maybe"),
    (CHOICE, "Yes"),
    (CHOICE, ["yes"]),
    (CHOICE, None),
    (CHOICE, 0),
    (SOME, []),
    (SOME, ["a", "a"]),
    (SOME, ["a", "d"]),
    (SOME, ["c", "a"]),
    (SOME, "a"),
    (SOME, [1]),
    (SOME, None),
    (RATING, 0),
    (RATING, 6),
    (RATING, 2.5),
    (RATING, "3"),
    (RATING, True),
    (RATING, None),
    (MATRIX, {"clear": 1}),
    (MATRIX, {"clear": 1, "fair": 2, "kind": 3}),
    (MATRIX, {"clear": 1, "fair": 6}),
    (MATRIX, {"clear": 1, "fair": True}),
    (MATRIX, {"clear": 1, "fair": None}),
    (MATRIX, [1, 2]),
    (SLIDER, 1.01),
    (SLIDER, "0"),
    (SLIDER, True),
    (SLIDER, float("nan")),
    (SLIDER, None),
    (NUMBER, 17),
    (NUMBER, 100),
    (NUMBER, 20.5),
    (NUMBER, "20"),
    (NUMBER, True),
    (NUMBER, float("inf")),
    (NUMBER, float("nan")),
    (OPEN_NUMBER, float("inf")),
    (OPEN_NUMBER, float("nan")),
    (OPEN_NUMBER, None),
    (TEXT, "ox"),
    (TEXT, "  ox  "),
    (TEXT, "a brown fox"),
    (TEXT, 123),
    (TEXT, None),
    (RANKING, ["a", "b"]),
    (RANKING, ["a", "b", "b"]),
    (RANKING, ["a", "b", "c", "c"]),
    (RANKING, "abc"),
    (RANKING, [1, 2, 3]),
    (RANKING, None),
    (questions.Ranking(**ASKED, options=("1", "2")), [1, 2]),
]


def _named(value: object) -> str:
    return value.kind if hasattr(value, "kind") else repr(value)


@pytest.mark.parametrize(("question", "answer"), VALID, ids=_named)
def test_an_answer_counts(question: questions.Question, answer: JsonValue) -> None:
    assert question.accepts(answer)


@pytest.mark.parametrize(("question", "answer"), INVALID, ids=_named)
def test_an_answer_does_not_count(question: questions.Question, answer: JsonValue) -> None:
    assert not question.accepts(answer)


@pytest.mark.parametrize("question", [CHOICE, SOME, RATING, MATRIX, SLIDER, NUMBER, TEXT, RANKING], ids=_named)
def test_a_question_comes_back_from_json_as_its_own_kind(question: questions.Question) -> None:
    assert TypeAdapter(questions.Question).validate_json(question.model_dump_json()) == question


BAD_QUESTIONS: dict[str, dict[str, Any]] = {
    "one option": {"kind": "choice", "options": ["a"]},
    "an option twice": {"kind": "choice", "options": ["a", "a"]},
    "a ranking of twins": {"kind": "ranking", "options": ["a", "b", "a"]},
    "more chosen than there are": {"kind": "multiple_choice", "options": ["a", "b"], "min_chosen": 3},
    "a row twice": {"kind": "matrix", "rows": ["a", "a"]},
    "a scale of one point": {"kind": "rating", "points": 1},
    "labels for other points": {"kind": "rating", "points": 5, "labels": ["low", "high"]},
    "ends the wrong way round": {"kind": "slider", "low": 1, "high": 0},
    "a step backwards": {"kind": "slider", "step": -1},
    "bounds the wrong way round": {"kind": "number", "low": 9, "high": 1},
    "a text longer than it may be": {"kind": "text", "min_chars": 10, "max_chars": 5},
}


@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_a_question_nobody_could_answer_cannot_be_asked(case: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(questions.Question).validate_python({**ASKED, **BAD_QUESTIONS[case]})
