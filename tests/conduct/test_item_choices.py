"""Which items of a set a person meets, and which of them stay together."""

from collections import Counter
from itertools import groupby
from typing import Any

import pytest

from tests.playing import Player, script_of, stage, study_of
from tests.small_studies import numbered_items


def orders(**more: Any) -> list[list[str]]:
    script = script_of(study_of(stage("predict", order="given", **more)))
    return [Player(script, arrival=k, condition="shown").finish().items("predict") for k in range(4)]


def test_the_same_subset_is_the_first_of_the_set_for_everybody() -> None:
    script = script_of(study_of(stage("predict", n_items=5)))
    expected = {trial.stimulus_id for trial in list(script.trials.values())[1:6]}
    assert [set(Player(script, arrival=k).finish().items("predict")) for k in range(4)] == [expected] * 4


@pytest.mark.parametrize("subset", ["own", "anew"])
def test_people_meet_subsets_of_their_own(subset: str) -> None:
    met = [frozenset(order) for order in orders(n_items=5, subset=subset)]
    assert [len(one) for one in met] == [5] * 4
    assert len(set(met)) == 4


@pytest.mark.parametrize(("subset", "is_matched"), [("own", True), ("anew", False)])
def test_an_own_subset_stays_from_turn_to_turn_of_a_loop(subset: str, is_matched: bool) -> None:
    model = {"name": "model", "scope": "within", "levels": ["a", "b"], "order": "fixed_order"}
    turn = stage("predict", n_items=5, subset=subset)
    loop = {"kind": "loop", "block_id": "models", "over": "model", "blocks": [turn]}
    met = Player(script_of(study_of(loop, factors=[model])), arrival=2).finish().items("predict")
    assert (set(met[:5]) == set(met[5:])) is is_matched


def test_a_subset_of_ones_own_is_balanced_over_the_strata() -> None:
    cases = {
        "name": "cases",
        "n_items": 12,
        "strata": ["answer"],
        "dataset": numbered_items(12, answer=["yes", "no"]),
    }
    script = script_of(study_of(stage("predict", n_items=6, subset="own"), item_sets=[cases]))
    strata = {trial.stimulus_id: script.strata[name]["answer"] for name, trial in script.trials.items() if trial.stimulus_id}  # fmt: skip
    for arrival in range(6):
        met = Player(script, arrival=arrival).finish().items("predict")
        assert Counter(strata[one] for one in met) == {"yes": 3, "no": 3}


def dials_met(order: str) -> list[list[Any]]:
    cases = {"name": "cases", "n_items": 12, "dataset": numbered_items(12, dial=[1, 2, 3, 4], answer=["yes", "no"])}
    script = script_of(study_of(stage("predict", order=order, together="dial"), item_sets=[cases]))
    dials = {
        trial.stimulus_id: script.truth[name]["dial"] for name, trial in script.trials.items() if trial.stimulus_id
    }
    return [[dials[item] for item in Player(script, arrival=k).finish().items("predict")] for k in range(6)]


@pytest.mark.parametrize("order", ["shuffled", "shared", "given"])
def test_items_that_belong_together_follow_each_other(order: str) -> None:
    assert [len(list(groupby(one))) for one in dials_met(order)] == [4] * 6


def test_groups_come_in_an_order_of_each_persons_own() -> None:
    assert len({tuple(dict.fromkeys(one)) for one in dials_met("shuffled")}) > 3
