"""Reliance counts only on trials that can show it; confidence is a probability that can be too high."""

from typing import Any

import pytest

from tests.measures.test_beliefs import answered, scored
from understudy import registry
from understudy.errors import UnderstudyError
from understudy.measures import ENTRIES
from understudy.schema import Ref

CASES = [
    # initial, final, advice, right: followed, over, under, switched, RAIR, RSR
    ("cat", "dog", "dog", "dog", (1, None, 0, 1, 1, None)),
    ("cat", "cat", "dog", "dog", (0, None, 1, 0, 0, None)),
    ("dog", "dog", "dog", "dog", (1, None, 0, None, None, None)),
    ("cat", "dog", "dog", "cat", (1, 1, None, 1, None, 0)),
    ("cat", "cat", "dog", "cat", (0, 0, None, 0, None, 1)),
    ("dog", "dog", "dog", "cat", (1, 1, None, None, None, None)),
    # Wrong at first, wrong advice, and a third answer that is right.
    ("cow", "cat", "dog", "cat", (0, 0, None, 0, None, None)),
]
NAMES = ENTRIES["measures"]["reliance"]


@pytest.mark.parametrize(("initial", "final", "advice", "right", "wanted"), CASES)
def test_reliance_is_scored_by_what_was_thought_before_and_what_is_right(
    initial: str, final: str, advice: str, right: str, wanted: tuple[float | None, ...]
) -> None:
    truth: dict[str, Any] = {"prediction": advice, "label": right}
    found = tuple(scored(name, answered(initial=initial, decision=final), truth=truth) for name in NAMES)
    assert found == wanted


@pytest.mark.parametrize("name", NAMES)
def test_reliance_is_missing_without_advice_truth_or_answer(name: str) -> None:
    assert scored(name, answered(initial="cat", decision="cat"), truth={"label": "cat"}) is None
    assert scored(name, answered(initial="cat", decision="cat"), truth={"prediction": "cat"}) is None
    assert scored(name, answered(initial="cat"), truth={"label": "cat", "prediction": "dog"}) is None


def test_switching_needs_a_first_decision() -> None:
    assert scored("switched", answered(decision="cat"), truth={"label": "cat", "prediction": "dog"}) is None


@pytest.mark.parametrize(
    ("rating", "at_lowest", "stated"), [(1, 0.5, 0.5), (3, 0.5, 0.75), (5, 0.0, 1.0), (2, 0.0, 0.25)]
)
def test_a_rating_becomes_a_probability(rating: int, at_lowest: float, stated: float) -> None:
    assert scored("stated_confidence", answered(confidence=rating), at_lowest=at_lowest) == stated


@pytest.mark.parametrize("rating", [0, 6, True, "5", None])
def test_what_is_not_on_the_scale_states_no_confidence(rating: Any) -> None:
    assert scored("stated_confidence", answered(confidence=rating)) is None


def test_brier_and_overconfidence_compare_confidence_with_the_key() -> None:
    wrong, right = answered(guess="no", confidence=4), answered(guess="yes", confidence=4)
    key: dict[str, Any] = {"guess": "yes"}
    assert (scored("brier", wrong, truth=key), scored("brier", right, truth=key)) == (0.5625, 0.0625)
    assert (scored("overconfidence", wrong, truth=key), scored("overconfidence", right, truth=key)) == (0.75, -0.25)


@pytest.mark.parametrize(
    ("params", "said"), [({"lowest": 5, "highest": 1}, "lowest must be the smaller"), ({"at_lowest": 1}, "below 1")]
)
def test_a_scale_of_confidence_that_cannot_be_is_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(UnderstudyError, match=said):
        registry.create("measures", Ref(name="stated_confidence", params=params))


@pytest.mark.parametrize(("model_is", "wanted"), [("wrong", 1), ("right", 0), (None, None)])
def test_a_fact_about_the_item_is_a_yes_or_no(model_is: str | None, wanted: float | None) -> None:
    truth: dict[str, Any] = {} if model_is is None else {"model_is": model_is}
    assert scored("item_is", answered(guess="yes"), truth=truth) == wanted
