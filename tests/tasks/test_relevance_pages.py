"""The page that asks what a model relies on."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from understudy.tasks import Relevance

LEGS = {"attribute_id": "legs", "name": "the legs"}
SHAPE = {"attribute_id": "shape", "name": "the shape"}


def task(**parts: Any) -> Relevance:
    return Relevance.model_validate({"attributes": [LEGS, SHAPE], **parts})


def test_each_attribute_has_a_choice_and_a_reason() -> None:
    asked = [(question.question_id, question.kind) for question in task().questions]
    assert asked == [("legs", "choice"), ("legs_why", "text"), ("shape", "choice"), ("shape_why", "text")]


def test_without_a_least_length_no_reason_is_asked() -> None:
    assert [question.question_id for question in task(min_chars=0).questions] == ["legs", "shape"]


def test_the_key_is_in_the_words_of_the_options_and_not_on_the_page() -> None:
    (draft,) = task(
        key={"legs": "relevant", "shape": "irrelevant"}, options={"relevant": "Yes", "irrelevant": "No"}
    ).drafts((), np.random.default_rng(1))
    assert draft.answers == {"legs": "Yes", "shape": "No"}
    assert "key" not in draft.params.model_dump()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"key": {"tail": "relevant"}}, "the key has 'tail', which is not asked. Asked are: legs, shape."),
        ({"attributes": [LEGS, {"attribute_id": "legs_why", "name": "x"}]}, "two questions are called 'legs_why'"),
        ({"options": {"relevant": "Yes", "irrelevant": "Yes"}}, "options need two different texts"),
    ],
)
def test_a_page_that_nobody_could_answer_is_refused(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        task(**parts)
