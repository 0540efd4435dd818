"""What pages about rows ask: it follows from the explanation of each item, and nothing of the key is shown."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.registry import create
from understudy.schema import (
    Alternatives,
    Choice,
    Draft,
    Explanation,
    Json,
    PrototypeMatch,
    PrototypeMatches,
    Ref,
    Region,
    ShownPicture,
    Stimulus,
    TreeFork,
    TreePath,
    TreeStep,
)
from understudy.tasks.rows import CheckStepsParams

PHOTO = ShownPicture(file=f"{'ab' * 32}.png", width=96, height=96)
REGION = Region(left=0.25, top=0.25, width=0.25, height=0.25)
SURE: Json = {"kind": "rating", "question_id": "sure", "prompt": "How sure?", "points": 5}
SPECIES: Json = {"kind": "choice", "question_id": "species", "prompt": "Which?", "options": ["1", "2"]}


def matches(n_rows: int) -> PrototypeMatches:
    rows = [PrototypeMatch(row_id=f"r{k}", region=REGION, source=PHOTO, source_region=REGION) for k in range(n_rows)]
    return PrototypeMatches(picture=PHOTO, rows=tuple(rows))


def step(name: str, **decided: Any) -> TreeStep:
    return TreeStep(row_id=name, region=REGION, source=PHOTO, source_region=REGION, **decided)


def decided(n_steps: int, numbers: Sequence[str] = ("", "", "")) -> TreePath:
    steps = (step(f"s{k}", similarity=0.7, is_present=True, number=numbers[k]) for k in range(n_steps))
    return TreePath(picture=PHOTO, steps=tuple(steps))


def forked(first: TreeStep) -> TreePath:
    given = (step("s0", is_present=True),)
    return TreePath(picture=PHOTO, steps=given, fork=TreeFork(first=first, if_absent=step("a"), if_present=step("p")))


def page(task: str, explanation: Explanation | None, truth: Json | None = None, **params: Any) -> Draft:
    stimulus = Stimulus(
        stimulus_id="s", content={"picture": PHOTO.file}, explanation=explanation, truth=truth or {"label": "1"}
    )
    (draft,) = create("tasks", Ref(name=task, params=params)).drafts([stimulus], np.random.default_rng(1))
    return draft  # type: ignore[no-any-return]


def asked(draft: Draft) -> list[str]:
    return [question.question_id for question in draft.asks]


def test_each_row_has_a_rating_before_the_questions_of_the_study() -> None:
    assert asked(page("rate_matches", matches(3), further_questions=[SURE])) == ["row_1", "row_2", "row_3", "sure"]


def test_the_steps_of_a_tree_are_rated_like_rows() -> None:
    assert asked(page("rate_matches", decided(2))) == ["row_1", "row_2"]


def test_options_may_have_different_numbers_of_rows() -> None:
    draft = page("rate_matches", Alternatives(options=(matches(1), matches(2))), n_options=2)
    assert asked(draft) == ["option_1_row_1", "option_2_row_1", "option_2_row_2"]


def test_a_rating_has_four_named_points() -> None:
    (rating,) = page("rate_matches", matches(1)).asks
    assert rating.prompt == "How similar are the two regions in row 1?"
    assert rating.labels == ("Not similar", "Somewhat not similar", "Somewhat similar", "Similar")  # type: ignore[union-attr]


def test_the_task_declares_as_many_ratings_as_an_item_can_have() -> None:
    task = create("tasks", Ref(name="rate_matches", params={"most_rows": 2, "n_options": 2}))
    assert [question.question_id for question in task.questions] == [
        "option_1_row_1", "option_1_row_2", "option_2_row_1", "option_2_row_2",
    ]  # fmt: skip


def test_a_further_question_can_have_a_key() -> None:
    draft = page("rate_matches", matches(1), further_questions=[SPECIES], keys={"species": "label"})
    assert draft.answers == {"species": "1"}


@pytest.mark.parametrize(
    ("explanation", "params", "message"),
    [
        (matches(3), {"most_rows": 2}, r"An item has 3 rows to rate, and rate_matches allows 2\. Raise most_rows"),
        (matches(1), {"n_options": 4}, r"n_options = 4, but an item is explained for one class"),
        (
            Alternatives(options=(matches(1), matches(1))),
            {},
            r"An item has 2 options, and rate_matches has n_options = None",
        ),
        (None, {}, r"an item has no explanation"),
        (forked(step("f")), {}, r"a tree_path without a fork, but an item has the explanation 'tree_path'"),
    ],
)
def test_items_that_cannot_be_rated_are_refused(
    explanation: Explanation | None, params: dict[str, Any], message: str
) -> None:
    with pytest.raises(MaterialsError, match=message):
        page("rate_matches", explanation, **params)


def test_a_further_question_cannot_take_the_name_of_a_rating() -> None:
    with pytest.raises(UnknownName, match=r"two questions are called 'row_1'"):
        create("tasks", Ref(name="rate_matches", params={"further_questions": [{**SURE, "question_id": "row_1"}]}))


def test_the_first_disagreement_is_asked_over_the_steps_of_the_item() -> None:
    (question, _) = page("check_steps", decided(2), further_questions=[SURE]).asks
    assert isinstance(question, Choice)
    assert question.options == ("Step 1", "Step 2", "I agree with all steps")


def test_steps_are_read_as_the_drawing_calls_them_and_answered_by_their_position() -> None:
    draft = page("check_steps", decided(2, ("1", "2b")))
    (question,) = draft.asks
    assert isinstance(question, Choice)
    assert question.options[:2] == ("Step 1", "Step 2")
    assert isinstance(draft.params, CheckStepsParams)
    assert draft.params.value_names == {"Step 1": "Step 1", "Step 2": "Step 2b"}


def test_steps_without_decisions_cannot_be_checked() -> None:
    path = TreePath(picture=PHOTO, steps=(step("s0"),))
    with pytest.raises(MaterialsError, match="Set shows_scores of the explainer to true"):
        page("check_steps", path)


def test_both_decisions_are_right_if_they_are_those_of_the_model() -> None:
    draft = page("decide_steps", forked(step("f")), {"decisions": [True, False]}, further_questions=[SURE])
    assert asked(draft) == ["decision_1", "decision_2", "sure"]
    assert draft.answers == {"decision_1": "Present", "decision_2": "Absent"}


def test_a_fork_that_tells_the_decision_is_refused() -> None:
    with pytest.raises(MaterialsError, match="says what the model decided, which decide_steps asks"):
        page("decide_steps", forked(step("f", is_present=True)), {"decisions": [True, False]})


@pytest.mark.parametrize("decisions", [["Present", "Absent"], [True], None])
def test_decisions_that_are_not_two_truth_values_are_refused(decisions: Any) -> None:
    with pytest.raises(MaterialsError, match="needs two truth values, true for present"):
        page("decide_steps", forked(step("f")), {"decisions": decisions})


def test_items_without_decisions_are_refused() -> None:
    with pytest.raises(MaterialsError, match="A decide_steps task needs the attribute 'decisions'"):
        page("decide_steps", forked(step("f")))


@pytest.mark.parametrize(
    ("task", "explanation"),
    [("rate_matches", matches(1)), ("check_steps", decided(1)), ("decide_steps", forked(step("f")))],
)
def test_what_the_page_is_shown_holds_no_truth(task: str, explanation: Explanation) -> None:
    draft = page(task, explanation, {"decisions": [True, True], "label": "zq", "rows": [{"row_id": "zq"}]})
    assert "zq" not in draft.params.model_dump_json()
    assert "decisions" not in draft.params.model_dump_json()
