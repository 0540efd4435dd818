"""Items: balanced, apart where they must be, the same for people who are compared, explained where it is said."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.playing import stage, study_of
from tests.small_studies import numbered_items, two_groups
from understudy.conduct import balanced_order
from understudy.errors import MaterialsError
from understudy.prepare import Prepared, prepare
from understudy.prepare.items import pick_balanced
from understudy.protocols.loan_demo import loan_demo
from understudy.schema import Study

ANSWERS = ["yes", "no"]


def stimuli(prepared: Prepared, block_id: str, **levels: str) -> list[str]:
    """The items of a block where these levels hold."""
    found: list[str] = []
    for one in prepared.materials.trial_sets:
        if one.block_id == block_id and all(one.levels.get(name, level) == level for name, level in levels.items()):
            found += [str(prepared.materials.trials[trial_id].stimulus_id) for trial_id in one.trial_ids]
    return found


def two_sets(**second: Any) -> Study:
    dataset = numbered_items(24, answer=ANSWERS)
    sets = [
        {"name": "first", "n_items": 12, "dataset": dataset},
        {"name": "second", "n_items": 12, "dataset": dataset, **second},
    ]
    return study_of(stage("one", "first"), stage("two", "second"), item_sets=sets)


def test_each_stratum_appears_equally_often() -> None:
    key = prepare(two_groups(), Path()).key
    assert Counter(str(value["answer"]) for value in key.strata.values()) == {"yes": 6, "no": 6}


def test_sets_that_must_be_apart_share_no_item() -> None:
    prepared = prepare(two_sets(apart_from=["first"]), Path())
    assert not set(stimuli(prepared, "one")) & set(stimuli(prepared, "two"))
    assert len(set(stimuli(prepared, "two"))) == 12


def test_sets_may_share_items_otherwise() -> None:
    prepared = prepare(two_sets(), Path())
    assert set(stimuli(prepared, "one")) & set(stimuli(prepared, "two"))


def test_a_set_of_its_own_data_keeps_apart_from_what_a_binding_gives_in_any_condition() -> None:
    half = [numbered_items(24, answer=ANSWERS), numbered_items(36, answer=ANSWERS)]
    study = study_of(
        stage("one", "first"),
        stage("two", "second"),
        item_sets=[
            {"name": "first", "n_items": 12},
            {"name": "second", "n_items": 12, "apart_from": ["first"], "dataset": half[1]},
        ],
        bindings=[{"when": {"explanation": level}, "dataset": half[k]} for k, level in enumerate(("shown", "hidden"))],
    )
    prepared = prepare(study, Path())
    assert not set(stimuli(prepared, "one")) & set(stimuli(prepared, "two"))


def test_a_binding_gives_each_condition_its_own_data() -> None:
    study = study_of(
        stage("predict"),
        item_sets=[{"name": "cases", "n_items": 6}],
        bindings=[
            {"when": {"explanation": level}, "dataset": numbered_items(6, prefix=level, answer=ANSWERS)}
            for level in ("shown", "hidden")
        ],
    )
    prepared = prepare(study, Path())
    assert not set(stimuli(prepared, "predict", explanation="shown")) & set(stimuli(prepared, "predict", explanation="hidden"))  # fmt: skip


def explaining_levels(prepared: Prepared, block_id: str) -> dict[str, bool]:
    trials = prepared.materials.trials
    return {
        "-".join(one.levels.values()): all(trials[trial_id].explanation is not None for trial_id in one.trial_ids)
        for one in prepared.materials.trial_sets
        if one.block_id == block_id
    }


def loan_like(*, explains: bool) -> Study:
    model = {"name": "linear_classifier", "params": {"weights": [1, 1, 0, -1], "labels": ["no", "yes"]}}
    explainer = {"name": "weighted_features", "params": {"features": list("abcd")}}
    asked = stage("predict", explains=explains)
    asked["task"]["params"]["keys"] = {"guess": "prediction"}
    return study_of(
        asked,
        item_sets=[{"name": "cases", "n_items": 8, "strata": ["prediction"]}],
        bindings=[
            {"dataset": "loan_cases", "model": model},
            {"when": {"explanation": "shown"}, "explainer": explainer},
        ],
    )


def test_items_match_across_conditions_that_differ_only_in_explanation() -> None:
    prepared = prepare(loan_like(explains=True), Path())
    shown, hidden = (stimuli(prepared, "predict", explanation=level) for level in ("shown", "hidden"))
    assert shown == hidden
    assert len(set(shown)) == 8


def test_explanations_come_only_where_one_is_bound() -> None:
    prepared = prepare(loan_like(explains=True), Path())
    assert explaining_levels(prepared, "predict") == {"shown": True, "hidden": False}


def test_explanations_come_only_in_stages_that_explain() -> None:
    trials = prepare(loan_like(explains=False), Path()).materials.trials
    assert not any(trial.explanation for trial in trials.values())


def test_the_built_in_study_is_balanced_over_prediction_and_correctness() -> None:
    key = prepare(loan_demo(), Path()).key
    counts = Counter(tuple(sorted(map(str, value.values()))) for value in key.strata.values())
    assert len(counts) == 4
    assert len(set(counts.values())) == 1


def test_a_set_larger_than_its_data_is_refused() -> None:
    sets = [{"name": "cases", "n_items": 12, "dataset": numbered_items(6, answer=ANSWERS)}]
    with pytest.raises(MaterialsError, match=r"'cases' wants 12 items.*Ask for fewer, or give more data"):
        prepare(two_groups(item_sets=sets), Path())


def test_a_stratum_the_items_do_not_have_is_named() -> None:
    sets = [{"name": "cases", "n_items": 12, "strata": ["size"], "dataset": numbered_items(24, answer=ANSWERS)}]
    with pytest.raises(MaterialsError, match=r"balanced over 'size'.*They have: answer"):
        prepare(two_groups(item_sets=sets), Path())


def test_a_number_of_items_that_cannot_be_balanced_is_refused() -> None:
    sets = [{"name": "cases", "n_items": 7, "strata": ["answer"], "dataset": numbered_items(24, answer=ANSWERS)}]
    with pytest.raises(MaterialsError, match="Use a multiple of 2"):
        prepare(two_groups(item_sets=sets), Path())


def test_a_set_without_data_is_refused() -> None:
    with pytest.raises(MaterialsError, match="'cases' has no data"):
        prepare(two_groups(item_sets=[{"name": "cases", "n_items": 4}]), Path())


def test_an_explainer_without_a_model_is_refused() -> None:
    explainer = {"name": "weighted_features", "params": {"features": ["a"]}}
    study = study_of(stage("predict", explains=True), bindings=[{"explainer": explainer}])
    with pytest.raises(MaterialsError, match="has no model or no numeric inputs"):
        prepare(study, Path())


def test_a_key_that_nobody_could_answer_is_refused() -> None:
    sets = [{"name": "cases", "n_items": 4, "dataset": numbered_items(4, answer=["perhaps"])}]
    with pytest.raises(MaterialsError, match="'perhaps', which is not a possible answer to 'guess'"):
        prepare(two_groups(item_sets=sets), Path())


@given(strata=st.lists(st.sampled_from("abc"), max_size=60), per_stratum=st.integers(1, 5))
def test_a_balanced_choice_has_equally_many_of_each_or_does_not_exist(strata: list[str], per_stratum: int) -> None:
    picked = pick_balanced(strata, 3 * per_stratum, "abc")
    if min(Counter(strata)[one] for one in "abc") < per_stratum:
        assert picked is None
    else:
        assert picked is not None
        assert Counter(strata[k] for k in picked) == dict.fromkeys("abc", per_stratum)


@given(n_strata=st.integers(1, 6), n_each=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_every_prefix_of_a_drawn_set_is_level(n_strata: int, n_each: int, seed: int) -> None:
    strata = [k % n_strata for k in range(n_strata * n_each)]
    order = balanced_order(strata, np.random.default_rng(seed))
    counts = np.cumsum([[strata[k] == number for number in range(n_strata)] for k in order], axis=0)
    assert sorted(order) == list(range(len(strata)))
    assert (counts.max(axis=1) - counts.min(axis=1)).max() <= 1
