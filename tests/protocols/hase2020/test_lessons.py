"""Lessons: people are taught to read what their arm shows, whatever the arm is called."""

import pytest

from understudy.errors import MaterialsError, RecordError
from understudy.protocols import PredictionProblem, Scope, Simulated, hase2020_original, hase2020_text, simulation_study
from understudy.protocols.hase2020.lessons import LESSONS, examples_of, kinds_of, lesson_of, screening_key
from understudy.schema import Ref, Screen, Study
from understudy.tasks.instructions import Example, Instructions

WEIGHTS = Ref(name="weighted_features", params={"features": ["age"]})
RULE = Ref(name="anchor", params={"background": {"name": "income_cases"}})


def study_of(explainers: dict[str, Ref]) -> Study:
    problem = PredictionProblem(("above", "below"), "A model guesses incomes.", "person")
    about = Simulated(problem, Ref(name="income_cases"), Ref(name="trained_classifier"), explainers)
    scope = Scope(n_items=8, n_examples=8, quota=4, minutes=15, reward=3.0)
    return simulation_study("mine", "Mine", about, scope, seed=1)


def screen(study: Study, block_id: str) -> Screen:
    (found,) = (one for one in study.flow if one.block_id == block_id)
    assert isinstance(found, Screen)
    return found


def test_two_arms_of_one_kind_have_names_of_their_own_and_the_same_lesson() -> None:
    study = study_of({"shap": WEIGHTS, "lime": WEIGHTS, "rules": RULE})
    assert screen(study, "lesson_shap").task == screen(study, "lesson_lime").task
    assert screen(study, "lesson_rules").task != screen(study, "lesson_lime").task


def test_a_failed_test_leads_back_to_the_lesson() -> None:
    gate = screen(study_of({"shap": WEIGHTS}), "screening_shap").gate
    assert gate is not None
    assert gate.restudy == ("procedure", "lesson_shap")


def test_people_without_explanations_have_no_lesson() -> None:
    names = {block.block_id for block in study_of({"shap": WEIGHTS}).flow}
    assert "screening_control" in names
    assert "lesson_control" not in names


def test_an_explainer_of_several_parts_teaches_each_kind_once() -> None:
    parts = [one.model_dump(mode="json") for one in (WEIGHTS, RULE, WEIGHTS)]
    assert kinds_of(Ref(name="composite", params={"parts": parts})) == ("attribution", "rule")


def test_a_kind_without_a_lesson_is_refused_in_one_sentence() -> None:
    with pytest.raises(
        MaterialsError, match=r"similar_case, which no lesson teaches\. There are lessons for: attribution"
    ):
        kinds_of(Ref(name="imported_explanations"))


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize("kinds", [(), ("rule",), tuple(LESSONS)])
def test_examples_stand_below_the_pages_they_belong_to(kinds: tuple[str, ...], is_text: bool) -> None:
    examples, pages = examples_of(kinds, is_text=is_text), lesson_of(kinds).pages
    assert len(examples) == len(pages)
    shown = [example.explanation.kind.removeprefix("token_") for example in examples if example.explanation]
    assert shown == list(kinds)


def test_every_kind_has_questions_of_its_own() -> None:
    alone = [set(screening_key((kind,))) - set(screening_key(())) for kind in LESSONS]
    assert all(alone)
    assert len(set.union(*alone)) == sum(map(len, alone))


def test_lessons_show_what_the_domain_shows() -> None:
    of_text = screen(hase2020_text(), "lesson_lime").task.params
    original = hase2020_original()
    assert screen(original, "lesson_lime_text").task.params == of_text
    assert screen(original, "lesson_lime_tabular").task.params != of_text


def test_more_examples_than_pages_are_refused() -> None:
    with pytest.raises(RecordError, match="2 examples for 1 pages"):
        Instructions(pages=("One.",), examples=(Example(), Example()))


def test_an_explanation_of_nothing_is_refused() -> None:
    (drawn,) = examples_of(("rule",), is_text=False)
    with pytest.raises(RecordError, match="a case that it does not show"):
        Instructions(pages=("One.",), examples=(drawn.model_copy(update={"content": {}}),))
