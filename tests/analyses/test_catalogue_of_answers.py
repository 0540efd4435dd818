"""Shares, agreement and models of single answers through the catalogue equal R's."""

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import (
    VALUES,
    between_rows,
    crossed_rows,
    data,
    estimate,
    limits,
    shuffled,
    sizes,
    within_rows,
)


def yes_no_pairs(both: int, first: int, second: int, neither: int) -> pd.DataFrame:
    kinds = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither
    return within_rows(pd.DataFrame(kinds, columns=["visits", "hue"]))


def test_mcnemar_equals_r_on_every_side() -> None:
    rows, expected = yes_no_pairs(15, 22, 4, 2), VALUES["mcnemar"]
    for direction, key in (("different", "p"), ("greater", "greater"), ("less", "less")):
        found = estimate("mcnemar", rows, factor="level", contrast=("visits", "hue"), direction=direction)
        assert found.p_value == pytest.approx(expected[key], rel=1e-6)
    assert limits(found) == pytest.approx(VALUES["paired_proportions"]["newcombe"], rel=1e-6)
    assert (found.n_sessions, found.n_rows) == (43, 86)


def test_an_odds_ratio_without_upper_limit_is_left_open() -> None:
    found = estimate("mcnemar", yes_no_pairs(3, 5, 0, 3), factor="level", contrast=("visits", "hue"))
    size = found.effect_sizes[0]
    assert size.value is None
    assert size.interval is not None
    assert size.interval.low == pytest.approx(VALUES["mcnemar"]["zero"], rel=1e-6)
    assert size.interval.high is None
    assert "no upper limit" in found.notes[-1]


def test_a_share_has_wilsons_interval() -> None:
    found = estimate("proportion", between_rows(all=[1] * 8 + [0] * 2), against=0.5)
    assert limits(found) == pytest.approx(VALUES["describe"]["wilson"], rel=1e-6)
    assert found.details["difference"] == pytest.approx(0.3)


def test_a_mean_has_the_t_interval() -> None:
    found = estimate("mean", between_rows(all=data("pairs")["x"]))
    assert limits(found) == pytest.approx(VALUES["describe"]["interval"], rel=1e-6)


def test_repeated_answers_of_people_are_pointed_out() -> None:
    rows = crossed_rows("yes")
    assert "from 18 participants" in " ".join(estimate("proportion", rows).notes)


@pytest.mark.parametrize("direction", ["different", "greater", "less"])
@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_correlations_equal_r(name: str, direction: str) -> None:
    frame = data("pairs").rename(columns={"x": "value", "y": "other"})
    rows = shuffled(frame.assign(participant=np.arange(len(frame))))
    found = estimate(name, rows, other="rating", direction=direction)
    expected = VALUES[f"correlation_{'two.sided' if direction == 'different' else direction}"]
    assert (found.effect, found.p_value) == pytest.approx((expected[name], expected[f"{name}_p"]), rel=1e-6)
    assert limits(found) == pytest.approx(VALUES["correlation_interval"][name], rel=1e-6)


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_kappa_equals_r(weights: str) -> None:
    frame = data("ratings").rename(columns={"first": "value", "second": "other"})
    rows = shuffled(frame.assign(participant=np.arange(len(frame))))
    found = estimate("kappa", rows, params={"weights": weights}, other="second")
    expected = VALUES["kappa"][weights]
    assert (found.effect, found.details["standard_error"]) == pytest.approx(expected[:2], rel=1e-6)


def test_kappa_takes_words_and_numbers_of_either_type() -> None:
    first, second = [1, 2, 2, 1, 1, 2], [1, 2, 1, 1, 2, 2]
    people = {"participant": range(6)}
    whole = pd.DataFrame(people | {"value": first, "other": np.array(second, dtype=float)})
    words = pd.DataFrame(people | {"value": [f"k{n}" for n in first], "other": [f"k{n}" for n in second]})
    assert estimate("kappa", whole, other="x").effect == estimate("kappa", words, other="x").effect


def test_an_unused_label_between_two_others_keeps_its_distance() -> None:
    rows = pd.DataFrame({"participant": range(8), "value": [1, 1, 2, 2, 4, 4, 4, 1], "other": [1, 2, 2, 4, 4, 4, 2, 1]})
    found = estimate("kappa", rows, params={"weights": "linear"}, other="x")
    renumbered = rows.replace({"value": {4: 3}, "other": {4: 3}})
    assert found.effect != estimate("kappa", renumbered, params={"weights": "linear"}, other="x").effect


def test_logistic_regression_equals_r_for_two_levels() -> None:
    rows = crossed_rows("yes")
    found = estimate("logistic_regression", rows, factor="condition", contrast=("c1", "z0"))
    one, zero = (rows.loc[rows["condition"] == level, "value"].mean() for level in ("c1", "z0"))
    odds_ratio = one / (1 - one) / (zero / (1 - zero))
    assert found.effect == pytest.approx(np.log(odds_ratio), rel=1e-6)
    assert found.effect == pytest.approx(VALUES["logistic"]["coefficients"][1], rel=1e-6)


def test_logistic_regression_of_all_levels_names_each() -> None:
    found = estimate("logistic_regression", crossed_rows("yes"), factor="condition")
    held = [found.details[f"log_odds_ratio_{level}_to_z0"] for level in ("c1", "c2")]
    assert held == pytest.approx(VALUES["logistic"]["coefficients"][1:], rel=1e-6)
    assert found.df == (2.0,)


def test_logistic_regression_on_a_second_outcome_adjusts_for_the_factor() -> None:
    rng = np.random.default_rng(3)
    rows = crossed_rows("yes")
    rows = rows.assign(other=rng.normal(0, 1, len(rows)) + rows["value"] + (rows["condition"] == "c1"))
    params = {"tests": "other", "adjusts": True}
    alone = estimate("logistic_regression", rows, params={"tests": "other"}, other="rating")
    adjusted = estimate("logistic_regression", rows, params=params, other="rating", factor="condition")
    assert alone.effect_name == "log odds ratio per unit of rating"
    assert 0.5 < (alone.effect or 0) < (adjusted.effect or 0)


def test_separated_answers_have_no_test_and_say_so() -> None:
    rows = between_rows(a=[1.0] * 6, b=[0.0] * 6)
    found = estimate("logistic_regression", rows, factor="group", contrast=("a", "b"))
    assert (found.effect, found.p_value, found.interval) == (None, None, None)
    assert "separated" in found.notes[0]


def test_a_linear_mixed_model_of_two_levels_is_a_paired_t_test() -> None:
    rows = within_rows(data("pairs"))
    params = {"random": ["participant"]}
    found = estimate("linear_mixed", rows, params=params, factor="level", contrast=("x", "y"), direction="greater")
    assert found.p_value == pytest.approx(VALUES["t_sided_greater"]["paired"], rel=1e-5)
    assert limits(found) == pytest.approx(VALUES["t_paired"]["interval"], rel=1e-5)


INTERCEPTS = {"random": ["participant", "item"]}


def test_variances_of_crossed_intercepts_equal_lme4() -> None:
    found = estimate("linear_mixed", crossed_rows("score"), params=INTERCEPTS, factor="condition")
    expected = VALUES["lmm_crossed"]
    held = [found.details[name] for name in ("variance_participant", "variance_item", "residual_variance")]
    assert held == pytest.approx([*expected["variances"], expected["residual_variance"]], rel=1e-4)
    assert (found.statistic_name, found.df[0]) == ("F", 2.0)


def test_a_mean_is_held_against_a_value_with_people_and_items_random() -> None:
    rows = crossed_rows("score")
    near = estimate("linear_mixed", rows, against=0.4, direction="greater")
    far = estimate("linear_mixed", rows, against=-2.0, direction="greater")
    assert near.effect == pytest.approx(far.effect)
    assert (far.p_value or 1) < 0.001 < (near.p_value or 0)


def test_boundary_fits_are_noted() -> None:
    found = estimate("linear_mixed", crossed_rows("flat"), factor="condition")
    assert "participant intercepts is estimated as zero" in " ".join(found.notes)


def test_log_odds_of_a_mixed_model_equal_lme4() -> None:
    params = {**INTERCEPTS, "method": "ML"}
    found = estimate("logistic_mixed", crossed_rows("yes"), params=params, factor="condition")
    expected = VALUES["glmm_crossed"]
    held = [found.details[f"log_odds_ratio_{level}_to_z0"] for level in ("c1", "c2")]
    assert held == pytest.approx(expected["coefficients"][1:], rel=1e-4)
    assert found.details["variance_item"] == pytest.approx(expected["variances"][1], rel=1e-4)


def test_a_share_is_held_against_chance_by_the_intercept_of_lme4() -> None:
    rows, expected = crossed_rows("yes"), VALUES["glmm_person"]
    params = {"random": ["participant"], "method": "ML"}
    found = estimate("logistic_mixed", rows, params=params, against=0.5)
    assert found.details["log_odds_for_average_person_and_item"] == pytest.approx(expected["coefficients"], rel=1e-4)
    # The share over people is a half where that of an average person is, whatever the variance; what is left open about
    # the variance is not counted.
    assert found.statistic == pytest.approx(expected["coefficients"] / expected["standard_errors"], rel=0.02)
    third = estimate("logistic_mixed", rows, params=params, against=1 / 3)
    assert limits(third) == pytest.approx(limits(found), rel=1e-6)


def test_an_odds_ratio_has_an_interval() -> None:
    found = estimate("logistic_mixed", crossed_rows("yes"), factor="condition", contrast=("c1", "z0"))
    assert sizes(found)["odds ratio"] == pytest.approx(np.exp(found.effect or 0.0))


@pytest.mark.parametrize("name", ["linear_mixed", "logistic_mixed", "logistic_regression"])
def test_several_levels_together_have_no_direction(name: str) -> None:
    with pytest.raises(ValueError, match="has no direction"):
        estimate(name, crossed_rows("yes"), factor="condition", direction="greater")
