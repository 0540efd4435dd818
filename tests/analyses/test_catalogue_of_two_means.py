"""t tests, rank tests and equivalence through the catalogue equal R's."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import VALUES, between_rows, data, estimate, limits, shuffled, sizes, within_rows


def pairs() -> pd.DataFrame:
    return within_rows(data("pairs"))


def groups() -> pd.DataFrame:
    frame = data("pairs")
    return between_rows(x=frame["x"], y=frame["y"][:12])


def one_group() -> pd.DataFrame:
    return between_rows(all=data("pairs")["x"])


TWO: dict[str, Any] = {"factor": "group", "contrast": ("x", "y")}
PAIRED: dict[str, Any] = {"factor": "level", "contrast": ("x", "y")}
T_TESTS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "t_one_sample": ("one_sample_t", one_group, {"against": 0.2}),
    "t_paired": ("paired_t", pairs, PAIRED),
    "t_independent": ("independent_t", groups, TWO),
    "t_welch": ("welch_t", groups, TWO),
}


@pytest.mark.parametrize("key", T_TESTS)
def test_t_tests_equal_r_whatever_the_order_of_rows(key: str) -> None:
    name, rows, fields = T_TESTS[key]
    found, expected = estimate(name, rows(), **fields), VALUES[key]
    assert (found.statistic, found.df[0], found.p_value) == pytest.approx(
        (expected["statistic"], expected["df"], expected["p_value"]), rel=1e-6
    )
    assert limits(found) == pytest.approx(expected["interval"], rel=1e-6)


@pytest.mark.parametrize("key", T_TESTS)
def test_standardized_differences_equal_r(key: str) -> None:
    name, rows, fields = T_TESTS[key]
    size = estimate(name, rows(), **fields).effect_sizes[0]
    assert size.value == pytest.approx(VALUES[key]["d"], rel=1e-6)
    assert size.interval is not None
    assert (size.interval.low, size.interval.high) == pytest.approx(VALUES[key]["d_interval"], rel=1e-6)


@pytest.mark.parametrize("direction", ["greater", "less"])
@pytest.mark.parametrize("key", T_TESTS)
def test_sided_p_values_equal_r(key: str, direction: str) -> None:
    name, rows, fields = T_TESTS[key]
    found = estimate(name, rows(), direction=direction, **fields)
    assert found.p_value == pytest.approx(VALUES[f"t_sided_{direction}"][key.removeprefix("t_")], rel=1e-6)


def test_pairs_of_items_are_the_same_test_over_items() -> None:
    rows = pairs().rename(columns={"participant": "item"}).assign(participant="model")
    found = estimate("paired_t", rows, params={"paired_by": "item"}, **PAIRED)
    assert found.p_value == pytest.approx(VALUES["t_paired"]["p_value"], rel=1e-6)
    assert (found.n_sessions, found.n_rows) == (1, 34)


def test_pairs_of_items_can_join_different_people() -> None:
    rows = pairs().rename(columns={"participant": "item"})
    found = estimate("paired_t", rows.assign(participant=rows["level"]), params={"paired_by": "item"}, **PAIRED)
    assert found.p_value == pytest.approx(VALUES["t_paired"]["p_value"], rel=1e-6)
    assert found.n_sessions == 2


def test_effects_are_named_by_what_is_subtracted() -> None:
    assert estimate("welch_t", groups(), **TWO).effect_name == "mean difference (x - y)"


def test_groups_are_described_with_their_own_intervals() -> None:
    group = estimate("welch_t", groups(), **TWO).groups[0]
    assert (group.group, group.n) == ("x", 17)
    assert (group.mean, group.sd) == pytest.approx((VALUES["describe"]["mean"], VALUES["describe"]["sd"]), rel=1e-6)
    assert group.interval is not None
    assert group.interval.low == pytest.approx(VALUES["describe"]["interval"][0], rel=1e-6)


def test_u_is_that_of_the_first_level_and_r_has_no_sign() -> None:
    frame = data("groups")
    rows = shuffled(frame.rename(columns={"score": "value"}).assign(participant=np.arange(len(frame))))
    contrast = ("invertible", "base")
    found = estimate("rank_sum", rows, factor="group", contrast=contrast)
    turned = estimate("rank_sum", rows, factor="group", contrast=contrast[::-1])
    first, second = (rows.loc[rows["group"] == level, "value"].to_numpy() for level in contrast)
    wins = (first[:, None] > second).sum() + (first[:, None] == second).sum() / 2
    assert (found.statistic, found.statistic_name) == (wins, "U")
    assert turned.statistic == first.size * second.size - wins
    assert sizes(found)["r"] == sizes(turned)["r"]


def test_rank_sum_equals_r_with_ties() -> None:
    frame = data("groups")
    rows = frame.rename(columns={"score": "value"}).assign(participant=np.arange(len(frame)))
    expected = VALUES["rank_sum_ties"]
    for direction, key in (("different", "p"), ("greater", "greater"), ("less", "less")):
        found = estimate("rank_sum", rows, factor="group", contrast=("invertible", "base"), direction=direction)
        assert found.p_value == pytest.approx(expected[key], rel=1e-6)
    assert found.statistic == expected["u"]
    assert sizes(found)["r"] == pytest.approx(expected["r"], rel=1e-6)


def test_exact_rank_sum_equals_r() -> None:
    found = estimate("rank_sum", groups(), params={"method": "exact"}, **TWO)
    expected = VALUES["rank_sum"]
    assert (found.statistic, found.p_value) == pytest.approx((expected["u"], expected["p"]), rel=1e-6)
    assert (found.effect, *limits(found)) == pytest.approx((expected["shift"], *expected["interval"]), rel=1e-6)


@pytest.mark.parametrize(("direction", "key"), [("different", "p"), ("greater", "greater"), ("less", "less")])
def test_signed_rank_pairs_by_person(direction: str, key: str) -> None:
    rows, expected = within_rows(data("ordinal_pairs")), VALUES["signed_rank_ties"]
    found = estimate("signed_rank", rows, factor="level", contrast=("after", "before"), direction=direction)
    assert (found.statistic, found.p_value) == pytest.approx((expected["v"], expected[key]), rel=1e-6)


def test_signed_rank_against_a_value_is_the_test_of_differences_from_it() -> None:
    frame = data("pairs")
    rows = between_rows(all=frame["x"] - frame["y"] + 3)
    found = estimate("signed_rank", rows, params={"method": "exact"}, against=3.0)
    expected = VALUES["signed_rank"]
    assert (found.statistic, found.p_value) == pytest.approx((expected["v"], expected["p"]), rel=1e-6)
    assert found.effect == pytest.approx(expected["shift"] + 3, rel=1e-6)


def test_equivalence_takes_its_kind_from_the_rows() -> None:
    bounds = {"low": -0.8, "high": 0.8}
    expected = VALUES["tost"]
    paired = estimate("tost", pairs(), params=bounds, direction="equivalent", **PAIRED)
    welch = estimate("tost", groups(), params=bounds, direction="equivalent", **TWO)
    single = estimate("tost", one_group(), params=bounds, direction="equivalent")
    assert paired.p_value == pytest.approx(max(expected["paired_low"], expected["paired_high"]), rel=1e-6)
    assert welch.p_value == pytest.approx(expected["welch"], rel=1e-6)
    assert single.p_value == pytest.approx(expected["one_sample"], rel=1e-6)
    assert limits(paired) == pytest.approx(expected["paired_interval"], rel=1e-6)


def test_bounds_in_standard_deviations_equal_r() -> None:
    params = {"low": -0.9, "high": 0.9, "units": "d", "variances": "pooled"}
    found = estimate("tost", groups(), params=params, direction="equivalent", **TWO)
    assert found.p_value == pytest.approx(VALUES["tost"]["pooled_d"], rel=1e-6)
