"""Factorial designs, detection, calibration, counts, scales, agreement and Bayes factors give what R gives."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import FOLDER, between_rows, data, estimate, limits, shuffled, sizes, within_rows
from understudy.schema import Estimate

R: dict[str, dict[str, Any]] = json.loads((FOLDER / "designs.json").read_text())["values"]
TIGHT: Any = {"rel": 1e-6, "abs": 1e-9}


def factorial_rows() -> pd.DataFrame:
    """One row per person and cell of the two factors within people."""
    frame = data("factorial").assign(participant=[f"p{k:02d}" for k in range(27)])
    long = frame.melt(id_vars=["participant", "task", "help", "age"], var_name="cell", value_name="value")
    cells = long["cell"].str.split("_", expand=True)
    return shuffled(long.assign(phase=cells[0], level=cells[1]))


def first_rows() -> pd.DataFrame:
    """One row per person, the covariate as the second outcome."""
    rows = factorial_rows()
    return rows[rows["cell"] == "before_easy"].assign(other=lambda table: table["age"])


def detection_rows(other: str, value: str) -> pd.DataFrame:
    frame = data("detection").rename(columns={"person": "participant"})
    frame = frame.assign(stated=frame["confidence"] / 100)
    return shuffled(frame.assign(value=frame[value].astype(float), other=frame[other].astype(float)))


def time_rows(column: str) -> pd.DataFrame:
    frame = data("errors_and_times")
    return between_rows(**{str(name): part[column] for name, part in frame.groupby("group")})


def effect_of(name: str) -> list[str]:
    return name.split(":", 1)[1].split(":")


@pytest.mark.parametrize(
    "name", [key for key in R if key.split(":")[0] in ("between", "between_II", "within", "both", "both_II")]
)
def test_factorial_designs_equal_afex(name: str) -> None:
    kind, effect = name.split(":", 1)[0], effect_of(name)
    rows = first_rows() if kind.startswith("between") else factorial_rows()
    factors = {"between": ["task", "help"], "within": ["phase", "level"], "both": ["task", "help", "phase", "level"]}[
        kind.removesuffix("_II")
    ]
    params = {"effect": effect, "further": factors[2:], "sums_of_squares": "II" if kind.endswith("II") else "III"}
    asked: Any = {"factor": factors[0], "crossed_with": factors[1]}
    plain = estimate("factorial_anova", rows, params=params | {"sphericity": "none"}, **asked)
    corrected = estimate("factorial_anova", rows, params=params, **asked)
    uncapped = estimate("factorial_anova", rows, params=params | {"sphericity": "hf"}, **asked)
    given = R[name]
    found = [plain.statistic, *plain.df, plain.p_value, *corrected.df, corrected.p_value, uncapped.p_value]
    wanted = [given["statistic"], *given["df"], given["p_value"], *given["gg_df"], given["p_gg"], given["p_hf"]]
    assert found == pytest.approx(wanted, **TIGHT)
    assert sizes(plain) == pytest.approx(
        {"partial eta squared": given["pes"], "generalized eta squared": given["ges"]}, **TIGHT
    )


@pytest.mark.parametrize("name", [key for key in R if key.startswith("art:")])
def test_the_aligned_rank_transform_equals_afex_on_aligned_ranks(name: str) -> None:
    means = factorial_rows().groupby(["participant", "help", "phase"])["value"].mean().reset_index()
    found = estimate(
        "aligned_rank_anova", shuffled(means), params={"effect": effect_of(name)}, factor="help", crossed_with="phase"
    )
    assert [found.statistic, *found.df, found.p_value, found.effect] == pytest.approx(
        [R[name]["statistic"], *R[name]["df"], R[name]["p_value"], R[name]["pes"]], **TIGHT
    )


def test_analysis_of_covariance_equals_car() -> None:
    found = estimate("ancova", first_rows(), factor="help", other="age")
    assert [found.statistic, *found.df, found.p_value, found.details["p_equal_slopes"]] == pytest.approx(
        [R["ancova"]["statistic"], *R["ancova"]["df"], R["ancova"]["p_value"], R["ancova"]["p_slopes"]], **TIGHT
    )


def test_an_adjusted_difference_equals_emmeans() -> None:
    found, given = (
        estimate("ancova", first_rows(), factor="help", other="age", contrast=("map", "text")),
        R["ancova_two"],
    )
    means = [found.details["adjusted_mean_map"], found.details["adjusted_mean_text"]]
    assert [found.effect, found.statistic, *found.df, found.p_value, *limits(found), *means] == pytest.approx(
        [given["estimate"], given["t"], given["df"], given["p_value"], *given["interval"], *given["means"]], **TIGHT
    )


def test_tukey_equals_r() -> None:
    found, given = estimate("tukey_hsd", first_rows(), factor="help", contrast=("text", "map")), R["tukey"]
    # R's ptukey itself is good to about eight digits.
    assert [found.effect, found.p_value, *limits(found)] == pytest.approx(
        [given["estimate"], given["p_value"], *given["interval"]], rel=1e-5
    )


@pytest.mark.parametrize(
    ("name", "factor", "pair"), [("holm_welch", "help", ("text", "map")), ("holm_paired", "level", ("odd", "easy"))]
)
def test_holm_adjusted_pairs_equal_r(name: str, factor: str, pair: tuple[str, str]) -> None:
    rows = first_rows() if factor == "help" else factorial_rows().query("phase == 'before'")
    assert estimate("holm_pairs", rows, factor=factor, contrast=pair).p_value == pytest.approx(
        R[name]["p_value"], **TIGHT
    )


@pytest.mark.parametrize("index", ["d_prime", "criterion"])
def test_signal_detection_equals_r(index: str) -> None:
    rows = detection_rows("signal", "yes")
    found = estimate(
        "signal_detection", rows, params={"index": index}, factor="condition", contrast=("shown", "hidden")
    )
    assert_compared(found, R[index])


@pytest.mark.parametrize("index", ["brier", "overconfidence", "ece", "discrimination"])
def test_calibration_equals_r(index: str) -> None:
    rows = detection_rows("stated", "right")
    found = estimate("calibration", rows, params={"index": index}, factor="condition", contrast=("shown", "hidden"))
    assert_compared(found, R[index])


def assert_compared(found: Estimate, given: dict[str, Any]) -> None:
    assert [found.effect, found.statistic, *found.df, found.p_value, *limits(found)] == pytest.approx(
        [given["estimate"], given["t"], given["df"], given["p_value"], *given["interval"]], **TIGHT
    )
    shown, hidden = (group.mean for group in found.groups)
    persons = np.array(given["persons"], dtype=float)
    assert (shown, hidden) == pytest.approx((np.nanmean(persons[::2]), np.nanmean(persons[1::2])), **TIGHT)


@pytest.mark.parametrize(
    ("name", "clusters"), [("robust_people", ["participant"]), ("robust_both", ["participant", "item"])]
)
def test_cluster_robust_errors_equal_sandwich(name: str, clusters: list[str]) -> None:
    rows = detection_rows("signal", "right")
    found = estimate(
        "cluster_robust", rows, params={"clusters": clusters}, factor="condition", contrast=("shown", "hidden")
    )
    assert [found.effect, found.details["standard_error"]] == pytest.approx(
        [R[name]["estimate"], R[name]["se"]], **TIGHT
    )


@pytest.mark.parametrize("family", ["poisson", "quasi_poisson", "negative_binomial"])
def test_count_regressions_equal_glm_and_glm_nb(family: str) -> None:
    found = estimate(
        "count_regression", time_rows("errors"), params={"family": family}, factor="group", contrast=("shown", "hidden")
    )
    given = R[family]
    # glm.nb gives the error at the estimated theta, as we do; theta itself is a search of both.
    assert [found.effect, found.details["standard_error"], found.p_value] == pytest.approx(
        [np.exp(given["estimate"]), given["se"], given["p_value"]], **TIGHT
    )
    if family == "negative_binomial":
        assert 1 / (found.details["dispersion"] or 0) == pytest.approx(given["theta"], rel=1e-6)


def test_ratios_of_geometric_means_equal_t_tests_of_logs() -> None:
    between = estimate("log_time", time_rows("first"), factor="group", contrast=("shown", "hidden"))
    frame = data("errors_and_times")[["first", "second"]]
    within = estimate("log_time", within_rows(frame), factor="level", contrast=("second", "first"))
    for found, given in ((between, R["log_welch"]), (within, R["log_paired"])):
        assert [found.effect, found.p_value, *limits(found)] == pytest.approx(
            [given["ratio"], given["p_value"], *given["interval"]], **TIGHT
        )


def test_equivalence_by_ranks_equals_two_wilcoxon_tests() -> None:
    asked: Any = {"direction": "equivalent"}
    between = estimate(
        "rank_tost",
        time_rows("first"),
        params={"low": -2, "high": 3},
        factor="group",
        contrast=("shown", "hidden"),
        **asked,
    )
    frame = data("errors_and_times")[["first", "second"]]
    within = estimate(
        "rank_tost",
        within_rows(frame),
        params={"low": -1, "high": 1},
        factor="level",
        contrast=("second", "first"),
        **asked,
    )
    for found, given in ((between, R["rank_tost"]), (within, R["rank_tost_paired"])):
        assert [found.details["p_above_lower_bound"], found.details["p_below_upper_bound"]] == pytest.approx(
            [given["p_low"], given["p_high"]], **TIGHT
        )
        assert found.p_value == pytest.approx(max(given["p_low"], given["p_high"]), **TIGHT)


def test_omega_equals_a_one_factor_model_of_lavaan() -> None:
    assert estimate("omega", within_rows(data("scale"), "item")).effect == pytest.approx(
        R["omega"]["estimate"], rel=1e-6
    )


def test_omega_of_items_that_everybody_answers_alike_is_refused() -> None:
    frame = data("scale")
    frame["again"] = frame.iloc[:, 0]
    with pytest.raises(ValueError, match="The answers to one item follow from those to others"):
        estimate("omega", within_rows(frame, "item"))


def raters(*, with_gaps: bool) -> pd.DataFrame:
    frame = data("raters")
    names = [f"r{k}" for k in range(1, 6)]
    long = frame[names].assign(item=[f"i{k:02d}" for k in range(14)]).melt(id_vars="item", var_name="participant")
    gaps = frame[[f"missing_{name}" for name in names]].melt()["value"]
    return shuffled(long[gaps.to_numpy() == 0] if with_gaps else long)


@pytest.mark.parametrize(("name", "kind"), [("ICC1", "one_way"), ("ICC2", "agreement"), ("ICC3", "consistency")])
@pytest.mark.parametrize("of", ["single", "mean"])
def test_intraclass_correlations_equal_psych(name: str, kind: str, of: str) -> None:
    found = estimate("icc", raters(with_gaps=False), params={"kind": kind, "of": of})
    given = R[f"icc_{name}{'k' if of == 'mean' else ''}"]
    assert [found.effect, *limits(found), found.statistic, found.p_value] == pytest.approx(
        [given["estimate"], *given["interval"], given["statistic"], given["p_value"]], **TIGHT
    )


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_krippendorffs_alpha_equals_the_ratio_of_distances(level: str) -> None:
    found = estimate("krippendorff_alpha", raters(with_gaps=True), params={"level": level, "n_resamples": 200})
    assert found.effect == pytest.approx(R["krippendorff"][level], **TIGHT)


def test_bayes_factors_of_means_equal_bayesfactor() -> None:
    pairs, given = data("pairs"), R["bayes_t"]
    one = between_rows(all=pairs["x"])
    two = time_rows("first")
    contrast: Any = {"factor": "group", "contrast": ("shown", "hidden")}
    found = {
        "one": estimate("bayes_t", one),
        "one_greater": estimate("bayes_t", one, direction="greater"),
        "paired": estimate("bayes_t", within_rows(pairs), factor="level", contrast=("x", "y")),
        "two": estimate("bayes_t", two, **contrast),
        "two_less": estimate("bayes_t", two, direction="less", **contrast),
        "wide": estimate("bayes_t", two, params={"prior_scale": 1.0}, **contrast),
    }
    assert {name: each.bayes_factor for name, each in found.items()} == pytest.approx(given, rel=1e-6)


def test_bayes_factors_of_proportions_equal_bayesfactor() -> None:
    right = between_rows(all=data("detection")["right"].head(30))
    nine = between_rows(all=[1.0] * 9 + [0.0] * 16)
    found = {
        "half": estimate("bayes_proportion", right, against=0.5),
        "greater": estimate("bayes_proportion", right, against=0.5, direction="greater"),
        "fifth": estimate("bayes_proportion", nine, against=0.2),
    }
    assert {name: each.bayes_factor for name, each in found.items()} == pytest.approx(R["bayes_proportion"], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "file", "columns", "scale"), [("medium", "pairs", ("x", "y"), 1 / 3), ("wide", "scale", ("q1", "q4"), 1.0)]
)
def test_bayes_factors_of_correlations_equal_bayesfactor(
    name: str, file: str, columns: tuple[str, str], scale: float
) -> None:
    frame = data(file)
    rows = between_rows(all=frame[columns[0]]).sort_values("participant", key=lambda ids: ids.str[1:].astype(int))
    rows = rows.assign(other=frame[columns[1]].to_numpy(dtype=float))
    found = estimate("bayes_correlation", rows, params={"prior_scale": scale}, other="rating")
    assert found.bayes_factor == pytest.approx(R["bayes_correlation"][name], rel=1e-6)
