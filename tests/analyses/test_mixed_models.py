"""Mixed models of the catalogue: their random structure, what they test, and what they say when a fit is difficult."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special

from tests.analyses import reference_rows
from understudy.analyses import mixed_categories
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
    found = estimate("linear_mixed", rows("singular"), **PAIR)
    assert "left out, in this order: correlations over" in found.rests_on
    assert "slopes of level over" in found.rests_on
    assert found.rests_on in found.notes
    assert not estimate("linear_mixed", rows("within"), **PAIR).rests_on


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


class Sparse(NamedTuple):
    """A study in which each person answers about few of many items, so that an item has hardly any answers."""

    n_people: int
    n_items: int
    n_each: int
    item_sd: float
    slope_sd: float = 0.0

    def answers(self, seed: int, effect: float) -> pd.DataFrame:
        """Draw answers of which about three in four are yes; half of the people are at each level."""
        rng = np.random.default_rng([seed, int(self.item_sd * 10), int(abs(effect) * 100)])
        person = np.repeat(np.arange(self.n_people), self.n_each)
        item = np.concatenate([rng.choice(self.n_items, self.n_each, replace=False) for _ in range(self.n_people)])
        side = np.where(person % 2 == 0, 0.5, -0.5)
        felt = 1.25 * np.sqrt(1 + 0.346 * (self.item_sd**2 + 0.25)) + effect * side
        felt = felt + rng.normal(0, 0.5, self.n_people)[person] + rng.normal(0, self.item_sd, self.n_items)[item]
        felt = felt + side * rng.normal(0, self.slope_sd, self.n_items)[item]
        yes = (rng.random(felt.size) < special.expit(felt)).astype(float)
        level = np.where(side > 0, "x", "y")
        return pd.DataFrame({"participant": person, "item": item, "level": level, "value": yes})


SMALL = Sparse(60, 400, 20, 3.4, 2.5)


def shown_odds(table: pd.DataFrame) -> float:
    """Return the log odds ratio of the answers themselves."""
    shares = special.logit(table.groupby("level")["value"].mean())
    return float(shares["x"] - shares["y"])


def test_slopes_with_few_answers_each_do_not_decide() -> None:
    table = SMALL.answers(5005, 0.0)
    found = estimate("logistic_mixed", table, **PAIR)
    # With slopes of items, the effect was 1.77, p = .0004, where the answers show -.24 and the truth is 0.
    assert found.effect == pytest.approx(shown_odds(table), abs=0.5)
    each = f"{1200 / table.item.nunique():.3g} answers per item, 12 needed"
    assert f"slopes of level over item ({each})" in found.rests_on
    assert "Random effects: participant (intercept), item (intercept)." in found.rests_on
    named = {"random": ["participant", {"group": "item", "slopes": ["level"]}]}
    assert "12 needed" in estimate("logistic_mixed", table, params=named, **PAIR).rests_on


def test_a_fit_that_contradicts_the_answers_gives_way_to_a_simpler_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_categories, "FEWEST_ANSWERS", 0)
    table = SMALL.answers(5011, 0.0)
    found = estimate("logistic_mixed", table, **PAIR)
    assert "since its log odds ratio of x and y is 5.58, and that of the answers 0.16" in found.rests_on
    assert found.effect == pytest.approx(shown_odds(table), abs=0.5)


def test_items_with_hardly_more_than_one_answer_are_left_out_where_their_variance_runs_away() -> None:
    table = Sparse(60, 4000, 20, 3.4).answers(1, -0.74)
    found = estimate("logistic_mixed", table, params={"random": ["participant", "item"]}, **PAIR)
    # The SD over items was 28 in log-odds.
    assert "the SD over item ran to" in found.rests_on
    assert "in this order: intercepts of item." in found.rests_on
    assert found.effect == pytest.approx(shown_odds(table), abs=0.2)


def test_no_verdict_rests_on_a_model_that_contradicts_the_answers() -> None:
    # Level x is mostly about hard items: over items, the levels do not differ, while the answers do by far.
    rng = np.random.default_rng(3)
    person, item = (place.ravel() for place in np.meshgrid(range(40), range(40), indexing="ij"))
    is_hard = item % 2 == 0
    level = np.where(rng.random(item.size) < np.where(is_hard, 0.9, 0.1), "x", "y")
    yes = rng.random(item.size) < np.where(is_hard, 0.1, 0.9)
    table = pd.DataFrame({"participant": person, "item": item, "level": level, "value": yes.astype(float)})
    found = estimate("logistic_mixed", table, **PAIR)
    assert (found.p_value, found.statistic, found.rests_on) == (None, None, "")
    assert found.notes[0].startswith(
        "No verdict rests on this model, the simplest that the plan leads to: its shares over"
    )


def test_a_named_structure_with_a_certain_correlation_is_simplified() -> None:
    table = rows("singular", "yes")
    named = {"random": [{"group": "participant", "slopes": ["level"]}, {"group": "item", "slopes": ["level"]}]}
    found = estimate("logistic_mixed", table, params=named, **PAIR)
    correlations = [value for name, value in found.details.items() if name.startswith("correlation") and value]
    assert all(abs(value) <= 0.99 for value in correlations)


def sparse_results(design: Sparse, seeds: range, effect: float) -> list[tuple[float, Estimate]]:
    tables = [design.answers(seed, effect) for seed in seeds]
    return [(shown_odds(table), estimate("logistic_mixed", table, **PAIR)) for table in tables]


@pytest.mark.slow
@pytest.mark.parametrize("item_sd", [1.2, 2.0, 3.4])
@pytest.mark.parametrize("effect", [0.0, -0.74])
def test_no_estimate_of_a_sparse_study_is_far_from_its_answers(item_sd: float, effect: float) -> None:
    for shown, found in sparse_results(Sparse(119, 1191, 30, item_sd), range(5), effect):
        assert found.p_value is None or abs((found.effect or 0) - shown) < 3
        assert found.effect == pytest.approx(effect, abs=0.6)


def study_of_share(seed: int, share: float, *, person_sd: float, item_sd: float) -> pd.DataFrame:
    """Draw answers of 40 people about 20 items, whose share of yes over all people and items is as stated."""
    rng = np.random.default_rng(seed)
    nodes = np.linspace(-8, 8, 401)
    weights = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    spread = np.hypot(person_sd, item_sd)
    typical = optimize.brentq(lambda at: special.expit(at + spread * nodes) @ weights - share, -20, 20)
    person, item = (place.ravel() for place in np.meshgrid(range(40), range(20), indexing="ij"))
    felt = typical + rng.normal(0, person_sd, 40)[person] + rng.normal(0, item_sd, 20)[item]
    yes = (rng.random(felt.size) < special.expit(felt)).astype(float)
    return pd.DataFrame({"participant": person, "item": item, "value": yes})


@pytest.mark.parametrize("params", [{"random": "maximal"}, {"random": ["participant", "item"]}])
def test_a_share_is_tested_over_people_and_items_and_not_for_average_ones(params: Any) -> None:
    table = study_of_share(1, 0.25, person_sd=1.0, item_sd=2.0)
    mean = float(table.value.mean())
    found = estimate("logistic_mixed", table, params=params, against=mean)
    assert found.effect_name == f"share over people and items (against {mean:g})"
    assert found.effect == pytest.approx(mean)
    assert found.null_value == mean
    assert found.p_value == pytest.approx(1)
    assert (found.details["share_for_average_person_and_item"] or 1) < mean - 0.06
    low, high = reference_rows.limits(found)
    at_end = estimate("logistic_mixed", table, params=params, against=high)
    assert at_end.p_value == pytest.approx(0.05, abs=1e-6)
    assert 0 < (low or 0) < mean < (high or 0) < 1


@pytest.mark.slow
def test_a_true_share_is_rejected_as_often_as_alpha_says() -> None:
    tables = [study_of_share(seed, 0.25, person_sd=1.0, item_sd=1.0) for seed in range(60)]
    rejected = sum((estimate("logistic_mixed", table, against=0.25).p_value or 1) < 0.05 for table in tables)
    assert reference_rows.nominal(60)[0] <= rejected <= reference_rows.nominal(60)[1]
