"""Mixed models of the catalogue: their random structure, what they test, and what they say when a fit is difficult."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses import reference_rows
from understudy.schema import Estimate

FOLDER = Path(__file__).parents[1] / "reference"
VALUES = json.loads((FOLDER / "mixed.json").read_text())["values"]
PAIR: dict[str, Any] = {"factor": "level", "contrast": ("x", "y")}


def rows(name: str, outcome: str = "score") -> pd.DataFrame:
    table = pd.read_csv(FOLDER / "inputs" / f"mixed_{name}.csv").rename(columns={"person": "participant"})
    return table.assign(value=table[outcome].astype(float), team=np.where(table.group > 0, "blue", "red"))


def estimate(name: str, table: pd.DataFrame, *, params: dict[str, Any] | None = None, **fields: Any) -> Estimate:
    return reference_rows.estimate(name, table, params={"random": "maximal", **(params or {})}, **fields)


def notes(name: str, table: pd.DataFrame, **more: Any) -> str:
    return " ".join(estimate(name, table, **PAIR, **more).notes)


@pytest.mark.parametrize(
    ("name", "structure"),
    [
        ("within", "participant (intercept and slopes of level), item (intercept and slopes of level)"),
        ("between", "participant (intercept), item (intercept and slopes of level)"),
        ("item", "participant (intercept and slopes of level), item (intercept)"),
    ],
)
def test_the_design_decides_who_has_slopes(name: str, structure: str) -> None:
    assert f"Random effects: {structure}." in notes("linear_mixed", rows(name))


def test_the_maximal_model_equals_lmer_test() -> None:
    found, said = estimate("linear_mixed", rows("within"), **PAIR), VALUES["linear_within"]
    assert found.effect == pytest.approx(said["coefficients"][1], rel=1e-4)
    assert found.p_value == pytest.approx(said["p"][1], rel=1e-3)
    assert found.df[0] == pytest.approx(said["df"][1], rel=1e-3)


def test_a_structure_that_is_too_rich_is_simplified_in_named_steps() -> None:
    said = notes("linear_mixed", rows("singular"))
    assert "left out, in this order: correlations over" in said
    assert "slopes of level over" in said


def test_intercepts_alone_are_warned_of_where_the_factor_varies_within() -> None:
    said = notes("linear_mixed", rows("within"), params={"random": ["participant", "item"]})
    assert "'level' varies within each participant, but the model has no slopes for it" in said
    assert 'Use random = "maximal".' in said


def test_intercepts_of_people_need_no_warning_where_the_factor_varies_between_them() -> None:
    assert "no slopes" not in notes("linear_mixed", rows("between"), params={"random": ["participant"]})


def test_a_named_structure_is_kept() -> None:
    random = [{"group": "participant", "slopes": ["level"], "correlated": False}, "item"]
    said = VALUES["linear_few"]
    found = estimate("linear_mixed", rows("few"), params={"random": random}, **PAIR)
    assert found.details["variance_participant"] == pytest.approx(said["person"][0], rel=1e-3)
    assert found.details["log_likelihood"] == pytest.approx(said["log_likelihood"][0], abs=1e-4)


def test_a_slope_of_something_else_is_refused() -> None:
    random = [{"group": "participant", "slopes": ["hat"]}]
    with pytest.raises(ValueError, match=r"slope of 'hat', which is not in the model\. Effects are: level"):
        estimate("linear_mixed", rows("within"), params={"random": random}, **PAIR)


def test_marginal_means_and_corrected_pairs_equal_emmeans() -> None:
    random = [{"group": "participant", "slopes": ["level"]}, "item"]
    params = {"random": random, "pairs": "holm"}
    found, said = estimate("linear_mixed", rows("three"), params=params, factor="level"), VALUES["means_three"]
    assert [found.details[f"marginal_mean_{level}"] for level in "xyz"] == pytest.approx(said["means"], rel=1e-4)
    pairs = ("x_y", "x_z", "y_z")
    assert [found.details[f"difference_{pair}"] for pair in pairs] == pytest.approx(said["estimates"], rel=1e-4)
    assert [found.details[f"p_holm_{pair}"] for pair in pairs] == pytest.approx(said["holm"], rel=1e-2)
    assert (found.statistic, found.p_value) == pytest.approx((said["f"][0], said["p"][0]), rel=1e-2)


def test_a_joint_test_does_not_depend_on_the_order_of_levels() -> None:
    table, params = rows("three").iloc[::2], {"random": [{"group": "participant", "slopes": ["level"]}]}
    tests = []
    for order in ("xyz", "zxy", "yzx"):
        ordered = table.assign(level=pd.Categorical(table["level"], list(order)))
        found = estimate("linear_mixed", ordered, params=params, factor="level")
        tests.append((found.statistic, found.df[1], found.p_value))
    assert tests[1] == pytest.approx(tests[0], rel=1e-4)
    assert tests[2] == pytest.approx(tests[0], rel=1e-4)


def test_a_contrast_inside_the_model_of_all_levels_uses_all_rows() -> None:
    random = [{"group": "participant", "slopes": ["level"]}, "item"]
    found = estimate("linear_mixed", rows("three"), params={"random": random, "levels": "all"}, **PAIR)
    assert found.effect == pytest.approx(VALUES["means_three"]["estimates"][0], rel=1e-4)
    assert found.df[0] == pytest.approx(VALUES["means_three"]["pair_df"][0], rel=1e-2)


def yes_answers(seed: int) -> pd.DataFrame:
    """Answers of people whose d' is 2 with help and 1 without, and who say yes more often with help, by 0.5."""
    rng = np.random.default_rng(seed)
    person, item = (place.ravel() for place in np.meshgrid(range(60), range(40), indexing="ij"))
    is_shown, is_signal = person % 2 == 0, item % 2 == 0
    differences = rng.normal(0, 0.4, 60)[person] + rng.normal(0, 0.3, 40)[item]
    felt = np.where(is_shown, 2.0, 1.0) * np.where(is_signal, 0.5, -0.5) + 0.5 * is_shown + differences
    columns = {"participant": person, "item": item, "help": np.where(is_shown, "shown", "hidden")}
    signal = np.where(is_signal, "present", "absent")
    return pd.DataFrame(columns).assign(signal=signal, value=(felt + rng.normal(size=felt.size) > 0).astype(float))


def test_the_interaction_with_the_signal_is_a_difference_in_sensitivity_and_the_factor_one_in_bias() -> None:
    asked: dict[str, Any] = {"factor": "help", "contrast": ("shown", "hidden"), "crossed_with": "signal"}
    tables = [yes_answers(seed) for seed in range(4)]
    crossed = [estimate("logistic_mixed", table, params={"tests": "interaction"}, **asked) for table in tables]
    main = [estimate("logistic_mixed", table, **asked) for table in tables]
    assert crossed[0].effect_name == "log odds ratio (shown - hidden) at absent - present"
    assert np.mean([found.effect for found in crossed]) / 1.7 == pytest.approx(-1, abs=0.15)
    assert np.mean([found.effect for found in main]) / 1.7 == pytest.approx(0.5, abs=0.15)


def test_an_interaction_equals_afex() -> None:
    random = [{"group": "participant", "slopes": ["level"]}, {"group": "item", "slopes": ["team"]}]
    fields: dict[str, Any] = {**PAIR, "crossed_with": "team"}
    params = {"random": random, "tests": "interaction"}
    found, said = estimate("linear_mixed", rows("interaction"), params=params, **fields), VALUES["afex_interaction"]
    assert (found.statistic or 0) ** 2 == pytest.approx(said["f"][2], rel=1e-3)
    assert found.effect_name == "mean difference (x - y) at blue - red"
    main = estimate("linear_mixed", rows("interaction"), params={"random": random}, **fields)
    assert (main.statistic or 0) ** 2 == pytest.approx(said["f"][0], rel=1e-3)


def test_covariates_are_adjusted_for_as_in_lmer() -> None:
    random = [{"group": "participant", "slopes": ["level"]}, {"group": "item", "slopes": ["level"]}]
    found = estimate("linear_mixed", rows("covariate"), params={"random": random, "covariates": ["age"]}, **PAIR)
    said = VALUES["linear_covariate"]
    assert found.details["standard_error"] == pytest.approx(said["errors"][1], rel=1e-3)


def test_a_likelihood_ratio_is_that_of_two_fits_by_maximum_likelihood() -> None:
    params = {"random": ["participant", "item"], "test": "likelihood_ratio"}
    for name, outcome in (("linear_mixed", "score"), ("logistic_mixed", "yes"), ("ordinal_mixed", "rating")):
        found = estimate(name, rows("singular", outcome), params=params, **PAIR)
        wald = estimate(name, rows("singular", outcome), params={**params, "test": "wald"}, **PAIR)
        assert found.statistic_name == "chi-square"
        assert found.statistic == pytest.approx((wald.statistic or 0) ** 2, rel=0.1)


def test_separated_answers_get_a_penalised_fit_that_is_named() -> None:
    table = rows("within", "yes")
    table.loc[table.level == "x", "value"] = 1.0
    found = estimate("logistic_mixed", table, **PAIR)
    assert "fitted with a weak normal prior on its coefficients (penalised" in " ".join(found.notes)
    assert found.effect is not None
    assert 1 < found.effect < 12
    assert (found.p_value or 1) < 0.05


@pytest.mark.parametrize("random", ["maximal", ["participant", "item"]])
def test_a_level_that_is_always_rated_highest_gets_a_penalised_fit_that_is_named(random: Any) -> None:
    table = rows("within", "rating")
    table.loc[table.level == "x", "value"] = table.value.max()
    found = estimate("ordinal_mixed", table, params={"random": random}, **PAIR)
    assert "fitted with a weak normal prior on its coefficients (penalised" in " ".join(found.notes)
    assert (found.p_value or 1) < 0.05


@pytest.mark.parametrize("name", ["linear_mixed", "logistic_mixed", "ordinal_mixed"])
def test_answers_that_are_all_the_same_are_said_to_be(name: str) -> None:
    with pytest.raises(ValueError, match=r"^All answers are the same, so "):
        estimate(name, rows("within").assign(value=1.0), **PAIR)


def test_residuals_of_ratings_are_drawn_on_the_scale_of_the_ratings() -> None:
    table = rows("within", "rating")
    panel = estimate("ordinal_mixed", table, params={"random": ["participant"]}, **PAIR).diagnostics[0]
    assert table.value.min() == 1
    assert np.mean(panel.x) == pytest.approx(table.value.mean(), abs=0.05)
    assert 1 <= min(panel.x) <= max(panel.x) <= table.value.max()


@pytest.mark.parametrize(
    ("name", "outcome"), [("linear_mixed", "score"), ("logistic_mixed", "yes"), ("ordinal_mixed", "rating")]
)
def test_a_likelihood_ratio_has_a_direction_where_one_number_is_tested(name: str, outcome: str) -> None:
    params = {"random": ["participant", "item"], "test": "likelihood_ratio"}
    both, up, down = (
        estimate(name, rows("singular", outcome), params=params, direction=direction, **PAIR)
        for direction in ("different", "greater", "less")
    )
    p_values = sorted(found.p_value or 0 for found in (up, down))
    assert p_values == pytest.approx([(both.p_value or 0) / 2, 1 - (both.p_value or 0) / 2])
    assert ((up.p_value or 0) < 0.5) == ((up.effect or 0) > 0)


def test_ratings_are_compared_by_the_odds_of_a_higher_one() -> None:
    random = [{"group": "participant", "slopes": ["level"]}, {"group": "item", "slopes": ["level"]}]
    params = {"random": random, "method": "ML"}
    found, said = estimate("ordinal_mixed", rows("within", "rating"), params=params, **PAIR), VALUES["ordinal_within"]
    assert found.effect == pytest.approx(said["coefficients"][0], abs=1e-4)
    assert found.details["threshold_2"] == pytest.approx(said["thresholds"][1], abs=1e-3)
    assert [group.group for group in found.groups] == ["x", "y"]


def test_a_continuous_scale_is_no_rating() -> None:
    with pytest.raises(ValueError, match="different numbers; an ordinal model takes up to 21 ratings"):
        estimate("ordinal_mixed", rows("within"), **PAIR)


def test_few_people_have_t_tests_and_not_z_tests() -> None:
    careful = estimate("logistic_mixed", rows("few", "yes"), **PAIR)
    glmer = estimate("logistic_mixed", rows("few", "yes"), params={"method": "ML"}, **PAIR)
    assert (careful.statistic_name, glmer.statistic_name) == ("t", "z")
    assert (careful.p_value or 0) > (glmer.p_value or 1)


def test_explained_shares_are_those_of_people_items_and_levels() -> None:
    found = estimate("linear_mixed", rows("within"), **PAIR).details
    assert 0 < (found["r2_marginal"] or 0) < (found["r2_conditional"] or 0) < 1


@pytest.mark.parametrize(("method", "is_warned"), [("ML", True), ("REML", False)])
@pytest.mark.parametrize(("analysis", "outcome"), [("linear_mixed", "score"), ("logistic_mixed", "yes")])
def test_maximum_likelihood_with_few_items_is_warned_of(
    analysis: str, outcome: str, method: str, is_warned: bool
) -> None:
    said = notes(analysis, rows("within", outcome), params={"method": method})
    assert ("Maximum likelihood takes the variances over" in said) == is_warned
