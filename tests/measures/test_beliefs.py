"""Beliefs: ratings from 3 count as belief, whether right or wrong is known to the server, rows belong to their class."""

from typing import Any

import pytest

from understudy import registry
from understudy.schema import Json, Ref, ResponseGiven

ROWS: list[Any] = [{"row_id": "a", "similarity": 0.2, "rank": 2}, {"row_id": "b", "similarity": 0.9, "rank": 1}]
OF_OPTIONS: list[Any] = [{**row, "option": option} for option in ("1", "2") for row in ROWS]


def answered(trial_id: str = "t", **response: Any) -> ResponseGiven:
    return ResponseGiven(session_id="s", seq=1, at_ms=1, step=1, trial_id=trial_id, response=response, rt_ms=1000)


def scored(name: str, *events: ResponseGiven, truth: Json | None = None, **params: Any) -> Any:
    measure = registry.create("measures", Ref(name=name, params=params))
    return measure.score(list(events), {"t": truth or {}})


@pytest.mark.parametrize(("rating", "believed"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_ratings_from_three_count_as_belief(rating: int, believed: float) -> None:
    assert scored("believed", answered(agreement=rating)) == believed


@pytest.mark.parametrize(
    ("rating", "model_is", "recognised"), [(3, "right", 1), (2, "right", 0), (3, "wrong", 0), (2, "wrong", 1)]
)
def test_a_prediction_is_recognised_if_belief_and_truth_agree(rating: int, model_is: str, recognised: float) -> None:
    assert scored("recognised", answered(agreement=rating), truth={"model_is": model_is}) == recognised


def test_nothing_is_recognised_where_nobody_knows_whether_the_model_is_right() -> None:
    assert scored("recognised", answered(agreement=4)) is None


@pytest.mark.parametrize(("fact", "value"), [("similarity", 0.9), ("rank", 1.0)])
def test_a_rated_row_has_the_facts_of_its_place(fact: str, value: float) -> None:
    assert scored("row_fact", answered(row_1=3, row_2=1), truth={"rows": ROWS}, question="row_2", fact=fact) == value


def test_rows_of_options_are_found_within_their_option() -> None:
    page = answered(option_2_row_1=3)
    assert scored("row_fact", page, truth={"rows": OF_OPTIONS}, question="option_2_row_1", fact="rank") == 2.0


@pytest.mark.parametrize("question", ["row_3", "row_1"])
def test_a_row_that_is_absent_or_was_not_rated_has_no_fact(question: str) -> None:
    assert scored("row_fact", answered(row_2=1), truth={"rows": ROWS}, question=question) is None


def test_ratings_of_a_page_go_with_the_belief_in_its_prediction() -> None:
    page = answered(row_1=4, row_2=3, agreement=4)
    assert scored("rating_by_belief", page) == 3.5
    assert scored("rating_by_belief", page, of="doubted") is None


def test_with_options_the_chosen_class_is_the_believed_one() -> None:
    page = answered(option_1_row_1=1, option_1_row_2=2, option_2_row_1=4, correct_class="2")
    assert scored("rating_by_belief", page, question="correct_class") == 4
    assert scored("rating_by_belief", page, question="correct_class", of="doubted") == 1.5


def test_the_gap_is_the_difference_of_all_believed_and_all_doubted_rows() -> None:
    pages = answered(row_1=4, row_2=4, agreement=3), answered(row_1=1, row_2=2, agreement=1)
    assert scored("belief_gap", *pages) == 2.5


def test_somebody_who_believes_everything_has_no_gap() -> None:
    assert scored("belief_gap", answered(row_1=4, agreement=3), answered(row_1=1, agreement=4)) is None


def test_an_answer_can_be_taken_as_what_it_adds_to_an_accuracy() -> None:
    assert scored("answer", answered(accuracy_low=90), question="accuracy_low", minus=81.5) == 8.5
