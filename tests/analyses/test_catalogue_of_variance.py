"""Analyses of variance, Kruskal–Wallis and the checks through the catalogue equal R's."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses import reference_rows as reference
from understudy import registry
from understudy.roles import Checked
from understudy.schema import Ref


def groups() -> pd.DataFrame:
    frame = reference.data("groups").rename(columns={"score": "value"})
    return reference.shuffled(frame.assign(participant=np.arange(len(frame))))


def check(name: str, table: pd.DataFrame, params: Any = None, **fields: Any) -> Checked:
    found: Checked = registry.create("checks", Ref(name=name, params=params or {})).check(
        table, reference.claim(**fields), 0.05
    )
    return found


@pytest.mark.parametrize(("name", "key"), [("oneway_anova", "one_way"), ("welch_anova", "welch_anova")])
def test_one_way_tests_equal_r(name: str, key: str) -> None:
    found, expected = reference.estimate(name, groups(), factor="group"), reference.VALUES[key]
    assert (found.statistic, *found.df, found.p_value) == pytest.approx(
        [expected[field] for field in ("statistic", "df_between", "df_within", "p_value")], rel=1e-6
    )
    # Welch's F says nothing about the share of variance, so there is no interval of it and no omega squared.
    if name == "welch_anova":
        assert (found.interval, [*reference.sizes(found)]) == (None, ["eta squared"])
    else:
        assert reference.sizes(found)["omega squared"] == pytest.approx(expected["omega_squared"], rel=1e-6)
        assert reference.limits(found) == pytest.approx(expected["eta_squared_interval"], rel=1e-6)


def test_kruskal_wallis_equals_r() -> None:
    found, expected = reference.estimate("kruskal_wallis", groups(), factor="group"), reference.VALUES["kruskal"]
    assert (found.statistic, found.p_value) == pytest.approx((expected["statistic"], expected["p_value"]), rel=1e-6)
    assert "Ties" in found.notes[0]


@pytest.mark.parametrize(
    ("correction", "field"), [("none", "p_value"), ("gg", "p_greenhouse_geisser"), ("hf", "p_huynh_feldt")]
)
def test_repeated_measures_equal_r_under_every_correction(correction: str, field: str) -> None:
    rows = reference.within_rows(reference.data("repeated"))
    found = reference.estimate("rm_anova", rows, params={"sphericity": correction}, factor="level")
    expected = reference.VALUES["repeated"]
    assert (found.statistic, found.p_value) == pytest.approx((expected["statistic"], expected[field]), rel=1e-6)


def test_corrected_degrees_of_freedom_are_those_of_the_p_value() -> None:
    rows = reference.within_rows(reference.data("repeated"))
    found = reference.estimate("rm_anova", rows, factor="level")
    epsilon = reference.VALUES["repeated_sphericity"]["greenhouse_geisser"]
    assert found.df == pytest.approx((3 * epsilon, 39 * epsilon), rel=1e-6)
    assert found.details["uncorrected_error_df"] == 39


@pytest.mark.parametrize("name", ["split_equal", "split_unequal"])
@pytest.mark.parametrize("effect", ["between", "within", "interaction"])
def test_split_plot_effects_equal_r(name: str, effect: str) -> None:
    params = {"effect": effect, "sphericity": "none"}
    found = reference.estimate(
        "mixed_anova", reference.within_rows(reference.data(name)), params=params, factor="group", crossed_with="level"
    )
    expected = reference.VALUES[name]["within_III" if effect == "within" else effect]
    assert (found.statistic, found.p_value) == pytest.approx(expected, rel=1e-6)


def test_the_weights_of_unequal_groups_can_be_chosen() -> None:
    params = {"effect": "within", "sphericity": "none", "sums_of_squares": "I"}
    rows = reference.within_rows(reference.data("split_unequal"))
    found = reference.estimate("mixed_anova", rows, params=params, factor="group", crossed_with="level")
    assert found.statistic == pytest.approx(reference.VALUES["split_unequal"]["within_I"][0], rel=1e-6)


def test_a_contrast_narrows_the_groups_of_a_split_plot() -> None:
    rows = reference.within_rows(reference.data("split_unequal"))
    found = reference.estimate("mixed_anova", rows, factor="group", contrast=("a", "b"), crossed_with="level")
    assert found.n_sessions == 17
    assert [group.group for group in found.groups] == [f"{a}, {b}" for a in "ab" for b in ("w1", "w2", "w3")]


def test_a_person_in_two_groups_is_refused() -> None:
    rows = reference.within_rows(reference.data("split_equal"))
    rows.loc[rows.index[0], "group"] = "b" if rows["group"].iloc[0] == "a" else "a"
    with pytest.raises(ValueError, match="several levels of 'group'"):
        reference.estimate("mixed_anova", rows, factor="group", crossed_with="level")


@pytest.mark.parametrize("centre", ["mean", "median"])
def test_levene_equals_r_about_both_centres(centre: str) -> None:
    found = check("levene", groups(), {"centre": centre}, factor="group")
    assert (found.statistic, found.p_value) == pytest.approx(reference.VALUES["levene"][centre], rel=1e-6)


def test_levene_sees_unequal_spread_even_where_deviations_are_constant() -> None:
    narrow, broad = [0.0, 2.0] * 5, [0.0, 4.0] * 5
    assert not check("levene", reference.between_rows(a=narrow, b=broad), factor="group").holds
    assert check("levene", reference.between_rows(a=narrow, b=narrow), factor="group").holds


def test_mauchly_equals_r_in_one_group_and_in_several() -> None:
    single = check("mauchly", reference.within_rows(reference.data("repeated")), factor="level")
    expected = reference.VALUES["repeated_sphericity"]
    assert (single.statistic, single.p_value) == pytest.approx((expected["mauchly_w"], expected["mauchly_p"]), rel=1e-6)
    several = check(
        "mauchly", reference.within_rows(reference.data("split_equal")), factor="group", crossed_with="level"
    )
    assert (several.statistic, several.p_value) == pytest.approx(reference.VALUES["split_equal"]["mauchly"], rel=1e-6)


def test_two_levels_are_always_spherical() -> None:
    assert check("mauchly", reference.within_rows(reference.data("pairs")), factor="level").holds


def test_shapiro_wilk_of_one_group_equals_r() -> None:
    found = check("shapiro_wilk", reference.between_rows(all=reference.data("pairs")["x"]))
    assert (found.statistic, found.p_value) == pytest.approx(
        (reference.VALUES["shapiro"]["w"], reference.VALUES["shapiro"]["p"]), rel=1e-6
    )


def test_shapiro_wilk_fails_if_any_group_does() -> None:
    rng = np.random.default_rng(4)
    normal, skewed = rng.normal(0, 1, 40), rng.exponential(1, 40) ** 2
    assert check("shapiro_wilk", reference.between_rows(a=normal, b=normal + 1), factor="group").holds
    assert not check("shapiro_wilk", reference.between_rows(a=normal, b=skewed), factor="group").holds


def test_shapiro_wilk_can_look_at_differences_or_residuals() -> None:
    rng = np.random.default_rng(5)
    shared = rng.exponential(1, 40) ** 2
    frame = pd.DataFrame({"x": shared + rng.normal(0, 1, 40), "y": shared + rng.normal(0, 1, 40)})
    rows = reference.within_rows(frame)
    assert check("shapiro_wilk", rows, {"of": "differences"}, factor="level").holds
    assert not check("shapiro_wilk", rows, {"of": "residuals"}, factor="level").holds


def test_too_few_values_for_a_check_are_said_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        check("shapiro_wilk", reference.between_rows(a=[1.0, 2.0], b=[1.0, 2.0]), factor="group")
