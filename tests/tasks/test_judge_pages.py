"""What a judge page carries beside the item: names of what is revealed, and the order in which fields are read."""

from typing import Any

import numpy as np
import pytest

from understudy.errors import UnknownName
from understudy.registry import create
from understudy.schema import Json, Ref, Stimulus


def params_of(content: Json, **params: Any) -> Json:
    stimulus = Stimulus(stimulus_id="s", content=content, truth={"label": "rich"})
    (draft,) = create("tasks", Ref(name="judge", params=params)).drafts([stimulus], np.random.default_rng(1))
    shown: Json = draft.params.model_dump(mode="json")
    return shown


def test_fields_keep_their_order_where_it_is_not_that_of_the_alphabet() -> None:
    assert params_of({"Sex": "Male", "Age": "over 48"})["order"] == ["Sex", "Age"]
    assert params_of({"Age": "over 48", "Sex": "Male"})["order"] == []


def test_an_edited_pair_has_the_order_of_its_original() -> None:
    assert params_of({"original": {"b": 1, "a": 2}, "edited": {"b": 1, "a": 3}})["order"] == ["b", "a"]


def test_what_is_revealed_can_be_called_by_other_words() -> None:
    assert params_of({}, reveals=["label"], names={"label": "True answer"})["names"] == {"label": "True answer"}


def test_a_name_for_what_stays_hidden_is_refused() -> None:
    with pytest.raises(UnknownName, match="'label' has a shown name, but is not revealed"):
        params_of({}, names={"label": "True answer"})


ASKED: Json = {"kind": "choice", "question_id": "prediction", "prompt": "What?", "options": ["rich", "poor"]}


def test_values_can_be_shown_in_words_while_answers_keep_the_value() -> None:
    stimulus = Stimulus(stimulus_id="s", content={}, truth={"label": "rich"})
    params: Json = {"questions": [ASKED], "keys": {"prediction": "label"}, "value_names": {"rich": "above average"}}
    (draft,) = create("tasks", Ref(name="judge", params=params)).drafts([stimulus], np.random.default_rng(1))
    assert draft.params.value_names == {"rich": "above average"}
    assert draft.answers == {"prediction": "rich"}


def test_a_shown_name_for_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(
        UnknownName, match=r"'wealthy' has a shown name, but is not an option\. Options are: rich, poor"
    ):
        params_of({}, questions=[ASKED], value_names={"wealthy": "above average"})


@pytest.mark.parametrize("names", [{"rich": "some", "poor": "some"}, {"rich": "poor"}])
def test_two_values_that_are_shown_alike_are_refused(names: dict[str, str]) -> None:
    with pytest.raises(UnknownName, match=r"two values are shown as '(some|poor)'"):
        params_of({}, questions=[ASKED], value_names=names)
