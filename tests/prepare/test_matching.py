"""Matched items: other attributes are equally common in all strata, exactly where the data allow it."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.playing import stage, study_of
from understudy.check.study_check import study_faults
from understudy.conduct import Ledger, Script, assign
from understudy.conduct.visits import visits_for
from understudy.errors import MaterialsError
from understudy.prepare import Prepared, prepare
from understudy.prepare.items import MatchedItems, pick_matched
from understudy.schema import Study

ITEMS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("uvwx")), max_size=60)


def picked(items: list[tuple[str, str]], per_stratum: int) -> MatchedItems | None:
    strata, values = [stratum for stratum, _ in items], [value for _, value in items]
    return pick_matched(strata, values, 2 * per_stratum, "ab")


def in_common(items: list[tuple[str, str]]) -> int:
    counts = Counter(items)
    return sum(min(counts["a", value], counts["b", value]) for value in "uvwx")


@given(items=ITEMS, per_stratum=st.integers(1, 8))
def test_as_many_groups_share_a_value_as_the_data_allow(items: list[tuple[str, str]], per_stratum: int) -> None:
    matched = picked(items, per_stratum)
    if min(Counter(stratum for stratum, _ in items)[name] for name in "ab") < per_stratum:
        assert matched is None
        return
    assert matched is not None
    assert [tuple(items[k][0] for k in group) for group in matched.groups] == [("a", "b")] * per_stratum
    n_alike = sum(len({items[k][1] for k in group}) == 1 for group in matched.groups)
    assert n_alike >= min(per_stratum, in_common(items))
    assert matched.is_exact == (in_common(items) >= per_stratum)


def test_a_rare_value_is_not_crowded_out() -> None:
    matched = picked([(stratum, value) for value in "uuuuuuv" for stratum in "ab"], 3)
    assert matched is not None
    values = "uuuuuuv"
    assert sorted(values[group[0] // 2] for group in matched.groups) == ["u", "u", "v"]


def test_an_item_that_is_refused_is_replaced_by_another_of_its_value() -> None:
    items = [(stratum, "u") for stratum in "aabb"]
    matched = pick_matched([name for name, _ in items], ["u"] * 4, 2, "ab", accepts=lambda k: k != 0)
    assert matched is not None
    assert matched.groups == ((1, 2),)


def test_groups_stay_together_in_the_order_of_the_set() -> None:
    order = MatchedItems(((0, 5), (1, 4), (2, 3)), is_exact=True).order(np.random.default_rng(1))
    assert {frozenset(order[k : k + 2]) for k in (0, 2, 4)} == {frozenset(pair) for pair in ((0, 5), (1, 4), (2, 3))}


def judged(**item_set: Any) -> Study:
    """A model that is wrong about most of what it calls three, and right about most of the rest."""
    answers = [("right", str(k % 5)) for k in range(40)] + [("wrong", "3") for _ in range(12)] + [("wrong", "1")] * 4
    listed = [
        {"content": {"text": f"case {k}"}, "attributes": {"model_is": model_is, "said": said, "answer": "yes"}}
        for k, (model_is, said) in enumerate(answers)
    ]
    return study_of(
        stage("predict"),
        item_sets=[
            {
                "name": "cases",
                "n_items": 16,
                "strata": ["model_is"],
                "dataset": {"name": "listed", "params": {"items": listed}},
                **item_set,
            }
        ],
    )


def said(prepared: Prepared, trial_ids: Any) -> Counter[tuple[str, str]]:
    truths = [prepared.key.truth[trial_id] for trial_id in trial_ids]
    return Counter((str(truth["said"]), str(truth["model_is"])) for truth in truths)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_model_said_does_not_tell_whether_it_is_right(seed: int) -> None:
    prepared = prepare(judged(matched_on=["said"]).model_copy(update={"seed": seed}), Path())
    shown = said(prepared, prepared.key.truth)
    assert {value: shown[value, "right"] for value in "01234"} == {value: shown[value, "wrong"] for value in "01234"}


def test_the_items_of_each_person_match_too() -> None:
    study = judged(matched_on=["said"], dealt_over="explanation")
    prepared = prepare(study, Path())
    script, ledger = Script(*prepared), Ledger(study)
    for arrival in range(2):
        assignment = assign(ledger, arrival)
        assert assignment is not None
        visit = next(visit for visit in visits_for(study.flow, assignment) if visit.block.block_id == "predict")
        own = said(prepared, script.trial_ids(visit, assignment, {}))
        assert {value: own[value, "right"] for value in "01234"} == {value: own[value, "wrong"] for value in "01234"}


def test_a_match_that_the_data_do_not_allow_is_as_near_as_they_do() -> None:
    prepared = prepare(judged(matched_on=["said"], n_items=28), Path())
    shown = said(prepared, prepared.key.truth)
    assert sum(min(shown[value, "right"], shown[value, "wrong"]) for value in "01234") == 8 + 4


def test_an_exact_match_that_the_data_do_not_allow_is_refused_with_the_number_that_they_do() -> None:
    with pytest.raises(
        MaterialsError, match=r"the same said in every combination of model_is, .* for 24 only\. Ask for 24"
    ):
        prepare(judged(matched_on=["said"], n_items=28, matching="exact"), Path())


def test_an_exact_match_that_the_data_allow_is_prepared() -> None:
    prepared = prepare(judged(matched_on=["said"], n_items=24, matching="exact"), Path())
    shown = said(prepared, prepared.key.truth)
    assert {value: shown[value, "right"] for value in "01234"} == {value: shown[value, "wrong"] for value in "01234"}


@pytest.mark.parametrize("seed", range(6))
def test_items_that_are_to_differ_share_no_value(seed: int) -> None:
    study = judged(n_items=2, distinct_on=["said"]).model_copy(update={"seed": seed})
    shown = said(prepare(study, Path()), prepare(study, Path()).key.truth)
    assert {model_is for _, model_is in shown} == {"right", "wrong"}
    assert len({value for value, _ in shown}) == 2


def test_items_that_cannot_all_differ_are_refused() -> None:
    with pytest.raises(
        MaterialsError, match=r"wants 12 items .* that all differ in said, but its dataset gives too few"
    ):
        prepare(judged(n_items=12, distinct_on=["said"]), Path())


def test_a_match_on_what_items_do_not_have_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"is to be matched on 'size', which its items do not have"):
        prepare(judged(matched_on=["size"]), Path())


@pytest.mark.parametrize(
    ("item_set", "sentence"),
    [
        ({"strata": [], "matched_on": ["said"]}, "but has no strata to match"),
        ({"matching": "exact"}, "wants an exact match, but names nothing in matched_on"),
        ({"matched_on": ["model_is"]}, "is both matched on 'model_is' and balanced over it"),
        ({"matched_on": ["said"], "distinct_on": ["answer"]}, "has both matched_on and distinct_on"),
    ],
)
def test_a_match_that_makes_no_sense_is_a_fault(item_set: dict[str, Any], sentence: str) -> None:
    assert any(sentence in fault for fault in study_faults(judged(**item_set), Path()))
