"""Rows and hypotheses that an analysis cannot take are refused in a sentence."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import between_rows, data, estimate, within_rows
from understudy import registry
from understudy.errors import UnknownName
from understudy.schema import Ref


def test_a_level_without_rows_is_named() -> None:
    with pytest.raises(ValueError, match="No row has level c of 'group'"):
        estimate("welch_t", between_rows(a=[1.0, 2.0], b=[2.0, 3.0]), factor="group", contrast=("a", "c"))


def test_three_levels_need_a_contrast_for_a_test_of_two() -> None:
    rows = between_rows(a=[1.0, 2.0], b=[2.0, 3.0], c=[4.0, 5.0])
    with pytest.raises(ValueError, match="Name them in `contrast`"):
        estimate("welch_t", rows, factor="group")


def test_one_level_alone_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="at least 2 are needed to compare"):
        estimate("oneway_anova", between_rows(a=[1.0, 2.0]), factor="group")


def test_people_at_both_levels_are_not_independent_groups() -> None:
    with pytest.raises(ValueError, match="repeat another row's participant"):
        estimate("welch_t", within_rows(data("pairs")), factor="level", contrast=("x", "y"))


def test_people_at_one_level_cannot_be_paired() -> None:
    rows = between_rows(a=[1.0, 2.0], b=[2.0, 3.0])
    with pytest.raises(ValueError, match="No participant has a value at every level of 'group': a, b"):
        estimate("paired_t", rows, factor="group", contrast=("a", "b"))


def test_a_group_of_one_is_too_small_for_welch() -> None:
    with pytest.raises(ValueError, match="At least 2 people are needed at each level of 'group'; a has 1"):
        estimate("welch_t", between_rows(a=[1.0], b=[2.0, 3.0]), factor="group", contrast=("a", "b"))


@pytest.mark.parametrize("name", ["linear_mixed", "logistic_mixed"])
def test_nothing_tells_a_level_from_its_only_person(name: str) -> None:
    rows = pd.DataFrame(
        {
            "participant": [person for person in "abc" for _ in range(4)],
            "item": [item for _ in "abc" for item in "wxyz"],
            "group": ["one"] * 4 + ["more"] * 8,
            "value": [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1],
        }
    )
    with pytest.raises(ValueError, match="At least 2 people are needed at each level of 'group'; one has 1"):
        estimate(name, rows, factor="group", contrast=("one", "more"))


def test_text_is_no_number() -> None:
    with pytest.raises(ValueError, match="'red'; this analysis needs numbers"):
        estimate("mean", between_rows(all=["red", "blue"]))


def test_yes_and_no_are_one_and_zero() -> None:
    with pytest.raises(ValueError, match="contain 2; this analysis takes yes and no"):
        estimate("proportion", between_rows(all=[0, 1, 2]))


def test_a_signed_rank_test_without_anything_to_compare_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a factor, or a value in `against`"):
        estimate("signed_rank", between_rows(all=[1.0, 2.0]))


@pytest.mark.parametrize("name", ["signed_rank", "tost", "participant_bootstrap", "linear_mixed", "logistic_mixed"])
def test_levels_and_a_fixed_value_do_not_go_together(name: str) -> None:
    params = {"low": -1, "high": 1} if name == "tost" else {}
    with pytest.raises(ValueError, match="`against`"):
        estimate(name, within_rows(data("pairs")), params=params, factor="level", contrast=("x", "y"), against=0.5)


def test_a_share_of_one_has_no_log_odds() -> None:
    rows = pd.DataFrame({"participant": np.repeat(range(6), 4), "value": [0, 1, 1, 0] * 6})
    with pytest.raises(ValueError, match="between 0 and 1"):
        estimate("logistic_mixed", rows, params={"random": ["participant"]}, against=1.0)


def test_random_items_need_items() -> None:
    with pytest.raises(ValueError, match="no column 'item'"):
        estimate("linear_mixed", within_rows(data("pairs")), params={"random": ["item"]}, factor="level")


def test_bounds_of_equivalence_stand_in_order_before_data_exist() -> None:
    with pytest.raises(UnknownName, match="low must be the smaller"):
        registry.create("analyses", Ref(name="tost", params={"low": 1, "high": -1}))


def test_weighted_agreement_needs_whole_steps() -> None:
    rows = pd.DataFrame({"participant": range(3), "value": [1.5, 2, 3], "other": [1, 2, 3]})
    with pytest.raises(ValueError, match="whole numbers"):
        estimate("kappa", rows, params={"weights": "linear"}, other="x")


@pytest.mark.parametrize("name", ["paired_t", "one_sample_t", "mean", "oneway_anova", "linear_mixed"])
def test_ordinal_answers_are_for_rank_tests(name: str) -> None:
    assert "ordinal" not in registry.create("analyses", Ref(name=name)).fit.scales
    assert "ordinal" in registry.create("analyses", Ref(name="rank_sum")).fit.scales


def test_what_a_paired_t_test_takes_depends_on_its_pairs() -> None:
    people, items = (registry.create("analyses", Ref(name="paired_t", params={"paired_by": by})).fit
                     for by in ("participant", "item"))  # fmt: skip
    assert (people.unit, items.unit) == ("participant", "trial")
    assert "binary" not in people.scales
    assert items.needs == {"item"}


@pytest.mark.parametrize("name", ["paired_t", "signed_rank", "friedman", "rm_anova"])
def test_one_person_is_too_few_to_compare_within_people(name: str) -> None:
    rows = pd.DataFrame({"participant": ["a", "a"], "level": ["x", "y"], "value": [1.0, 2.0]})
    contrast: Any = {"contrast": ("x", "y")} if name in ("paired_t", "signed_rank") else {}
    with pytest.raises(
        ValueError, match="One participant has a value at every level of 'level'; at least 2 are needed"
    ):
        estimate(name, rows, factor="level", **contrast)


def test_one_person_cannot_be_resampled_for_a_rating_gain() -> None:
    rows = pd.DataFrame({"participant": ["a"] * 6, "value": [0, 1, 0, 1, 1, 1], "other": [1.0, 2, 3, 4, 5, 5]})
    with pytest.raises(ValueError, match="at least 2 people"):
        estimate("rating_gain", rows, params={"n_resamples": 100}, other="rating")


def test_a_rating_gain_of_few_people_says_that_it_is_liberal() -> None:
    rng = np.random.default_rng(5)
    rows = pd.DataFrame({"participant": np.repeat([*"abcd"], 20), "other": rng.integers(1, 6, 80).astype(float)})
    rows["value"] = (rng.random(80) < rows["other"] / 6).astype(float)
    found = estimate("rating_gain", rows, params={"n_resamples": 100}, other="rating")
    assert any("With n = 4 people, resampling participants is liberal" in note for note in found.notes)


def test_no_spread_leaves_complementarity_without_a_p_value() -> None:
    rows = between_rows(help=[5.0, 5.0, 5.0], alone=[1.0, 1.0, 1.0])
    found = estimate("complementarity", rows, params={"model_score": 0.0}, factor="group", contrast=("help", "alone"))
    assert (found.effect, found.p_value) == (4.0, None)
    assert any("do not vary" in note for note in found.notes)


def test_a_model_of_combinations_that_nobody_met_says_so() -> None:
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({"participant": np.repeat(np.arange(8), 8), "item": np.tile(np.arange(8), 8)})
    rows["group"] = np.where(rows["participant"] % 2, "a", "b")
    rows["task"] = np.where(rows["group"] == "a", np.where(rows["item"] % 2, "x", "y"), "x")
    rows["value"] = rng.normal(size=64)
    with pytest.raises(ValueError, match="The model has 4 effects, but the data tell only 3 apart"):
        estimate("linear_mixed", rows, factor="group", contrast=("a", "b"), crossed_with="task")
