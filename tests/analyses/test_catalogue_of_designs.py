"""Designs, detection, confidence, reliance and agreement: what they refuse before data exist, and what they say with it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import between_rows, estimate, within_rows
from tests.estimate.plan_samples import VARIABLES, outcome, plan
from understudy.estimate.plan_check import plan_faults
from understudy.schema import Hypothesis

OUTCOMES = (
    outcome("rt", "rt"),
    outcome("rts", "rt", summary=None),
    outcome("rt_by_phase", "rt", by=("phase",)),
    outcome("right", "correct"),
    outcome("rights", "correct", summary=None),
)


@pytest.mark.parametrize(
    ("analysis", "fields", "said"),
    [
        ("signal_detection", {"outcome": "rights"}, "relates two outcomes"),
        ("signal_detection", {"outcome": "rights", "other": "rts"}, "takes binary outcomes in `other`; 'rts' is time"),
        ("signal_detection", {"outcome": "right", "other": "rights"}, "takes binary outcomes; 'right' is bounded"),
        ("calibration", {"outcome": "rights", "other": "rts"}, "takes bounded outcomes in `other`"),
        ({"name": "calibration", "params": {"index": "brier"}}, {"outcome": "rights", "other": "rts"}, "compares the levels"),
        ("factorial_anova", {"outcome": "rt_by_phase", "factor": "phase", "direction": "greater"}, "can show different"),
        ("factorial_anova", {"outcome": "rt", "factor": "help", "crossed_with": "phase"}, "Add it to `by`"),
        ({"name": "factorial_anova", "params": {"further": ["moon"]}}, {"outcome": "rt", "factor": "help"}, "not a factor"),
        ("factorial_anova", {"outcome": "rt_by_phase", "factor": "help"}, "has a row for each 'phase' too"),
        ("ancova", {"outcome": "rt", "factor": "help"}, "relates two outcomes"),
        ("ancova", {"outcome": "rt", "factor": "method", "other": "right", "direction": "greater"}, "has no direction"),
        ("aligned_rank_anova", {"outcome": "rights", "factor": "help"}, "takes"),
        ("tukey_hsd", {"outcome": "rt_by_phase", "factor": "phase"}, "between people"),
        ("holm_pairs", {"outcome": "rt", "factor": "method"}, "Name two of them"),
        ("log_time", {"outcome": "right", "factor": "help"}, "takes time outcomes"),
        ("count_regression", {"outcome": "rt", "factor": "help"}, "takes count outcomes"),
        ("cluster_robust", {"outcome": "rt", "factor": "help"}, "needs single trials"),
        ({"name": "rank_tost", "params": {"low": 1, "high": 0}}, {"outcome": "rt", "factor": "help"}, "low must be the smaller"),
        ({"name": "rank_tost", "params": {"low": 0, "high": 1}}, {"outcome": "rt", "factor": "help"}, "can show equivalent"),
        ("icc", {"outcome": "rt"}, "needs single trials"),
        ({"name": "krippendorff_alpha", "params": {"level": "interval"}}, {"outcome": "rights"}, "takes"),
        ("omega", {"outcome": "rt"}, "needs single trials"),
        ("bayes_proportion", {"outcome": "right", "against": 0.5}, "takes binary outcomes"),
        ("bayes_t", {"outcome": "rt", "factor": "method"}, "Name two of them"),
        ("complementarity", {"outcome": "rt", "factor": "help"}, "model_score is missing"),
        ("reliance", {"outcome": "rights", "factor": "help", "other": "rts"}, "varies within people; 'help' varies between"),
        ({"name": "reliance", "params": {"between": "help"}}, {"outcome": "rights", "factor": "phase"}, "or neither"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_data_exist(analysis: Any, fields: dict[str, object], said: str) -> None:
    hypothesis = Hypothesis.model_validate({"hypothesis_id": "h", "claim": "c", "analysis": analysis, **fields})
    assert said in " ".join(plan_faults(plan(hypothesis, outcomes=OUTCOMES), VARIABLES))


def test_a_third_factor_may_have_rows_of_its_own() -> None:
    analysis = {"name": "factorial_anova", "params": {"further": ["phase"]}}
    fields = {"hypothesis_id": "h", "claim": "c", "outcome": "rt_by_phase", "factor": "help", "crossed_with": "method"}
    hypothesis = Hypothesis.model_validate({**fields, "analysis": analysis})
    assert plan_faults(plan(hypothesis, outcomes=OUTCOMES), VARIABLES) == []


def test_d_prime_without_correction_leaves_out_perfect_people() -> None:
    rows = pd.DataFrame(
        [
            (person, item, float(item % 2) if person == "a" or item < 6 else float(item % 3 == 0), float(item % 2))
            for person in "abcd"
            for item in range(10)
        ],
        columns=["participant", "item", "value", "other"],
    )
    assert estimate("signal_detection", rows, other="signal").n_sessions == 4
    assert (
        "Left out: 1 of 4" in estimate("signal_detection", rows, params={"correction": "none"}, other="signal").notes[0]
    )


def test_calibration_says_when_bins_are_nearly_empty() -> None:
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"participant": np.repeat(np.arange(8), 10), "item": np.tile(np.arange(10), 8)})
    rows = rows.assign(value=rng.integers(0, 2, 80).astype(float), other=np.round(rng.random(80), 2))
    rows["help"] = np.where(rows["participant"] < 4, "with", "without")
    found = estimate(
        "calibration", rows, params={"index": "ece"}, factor="help", contrast=("with", "without"), other="c"
    )
    assert "answers per bin" in " ".join(found.notes)


@pytest.mark.parametrize("confidence", [-0.1, 80.0])
def test_a_confidence_that_is_no_probability_is_refused(confidence: float) -> None:
    rows = pd.DataFrame(
        {"participant": ["a", "b", "c"], "item": 1, "value": [1.0, 0.0, 1.0], "other": [0.5, confidence, 1.0]}
    )
    with pytest.raises(ValueError, match="a probability must be between 0 and 1"):
        estimate("calibration", rows, other="c")


def test_a_factorial_design_with_an_empty_cell_is_refused() -> None:
    rows = between_rows(a=[1, 2, 3], b=[2, 3, 4]).assign(task=lambda table: np.where(table["group"] == "a", "x", "y"))
    with pytest.raises(ValueError, match="nobody"):
        estimate("factorial_anova", rows, factor="group", crossed_with="task")


def test_complementarity_needs_both_comparisons() -> None:
    rng = np.random.default_rng(2)
    rows = between_rows(help=rng.normal(0.8, 0.05, 30), alone=rng.normal(0.6, 0.05, 30))
    asked: Any = {"factor": "group", "contrast": ("help", "alone"), "direction": "greater"}
    weak = estimate("complementarity", rows, params={"model_score": 0.7}, **asked)
    strong = estimate("complementarity", rows, params={"model_score": 0.9}, **asked)
    assert (weak.p_value or 1) < 0.001
    assert strong.p_value == pytest.approx(1, abs=1e-6)
    assert strong.effect_name == "help minus the model"


def test_counts_beyond_poisson_are_named() -> None:
    rows = between_rows(a=[0, 0, 12, 1, 20, 0], b=[3, 0, 0, 30, 1, 2])
    asked: Any = {"factor": "group", "contrast": ("a", "b")}
    assert "vary more than a Poisson" in " ".join(
        estimate("count_regression", rows, params={"family": "poisson"}, **asked).notes
    )
    with pytest.raises(ValueError, match=r"contain 0\.5; counts are whole numbers"):
        estimate("count_regression", between_rows(a=[0.5, 1], b=[1, 2]), **asked)


def test_times_of_zero_have_no_logarithm() -> None:
    with pytest.raises(ValueError, match="only numbers above 0"):
        estimate("log_time", between_rows(a=[0.0, 1, 2], b=[1.0, 2, 3]), factor="group", contrast=("a", "b"))


def test_unequal_slopes_are_named() -> None:
    rows = between_rows(a=range(8), b=range(8)).sort_values(["group", "value"])
    rows = rows.assign(other=np.concatenate([np.arange(8), -np.arange(8.0)]) + np.tile([0.1, -0.1], 8))
    assert "slope of the covariate differs" in " ".join(estimate("ancova", rows, factor="group", other="age").notes)


def test_advice_about_an_item_is_right_or_wrong_once() -> None:
    frame = within_rows(pd.DataFrame({"after": [1.0, 0.0, 1.0], "before": [0.0, 0.0, 1.0]}), "phase")
    rows = frame.assign(item="i", other=(frame["phase"] == "after").astype(float))
    with pytest.raises(ValueError, match="right in one phase and wrong in the other"):
        estimate("reliance", rows, factor="phase", contrast=("after", "before"), other="advice")
