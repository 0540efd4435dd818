"""The catalogue's tests of counts, pairs and scales: what they report, and what they refuse before data exist."""

import numpy as np
import pandas as pd
import pytest

from tests.estimate.plan_samples import VARIABLES, outcome, plan
from understudy.estimate.plan_check import plan_faults
from understudy.registry import create
from understudy.roles import Analysis
from understudy.schema import Estimate, Hypothesis, Ref
from understudy.statistics.counts import fisher_exact


def estimate_of(analysis: str, table: pd.DataFrame, **fields: object) -> Estimate:
    hypothesis = Hypothesis.model_validate(
        {"hypothesis_id": "H1", "claim": "c", "outcome": "value", "analysis": analysis, **fields}
    )
    made: Analysis = create("analyses", Ref(name=analysis))
    return made.estimate(table, hypothesis, np.random.default_rng(1))


def between(values: dict[str, list[float]]) -> pd.DataFrame:
    rows = [(f"{level}{k}", level, value) for level, group in values.items() for k, value in enumerate(group)]
    return pd.DataFrame(rows, columns=["participant", "help", "value"])


def test_fisher_reports_shares_and_the_exact_test() -> None:
    table = between({"with": [1, 1, 1, 1, 0], "without": [0, 0, 0, 1, 0]})
    found = estimate_of("fisher", table, factor="help", contrast=("with", "without"), direction="greater")
    assert (found.effect, found.p_value) == pytest.approx(
        (0.6, fisher_exact([[4, 1], [1, 4]], alternative="greater").p_value)
    )


def test_chi_square_says_when_counts_are_small() -> None:
    found = estimate_of("chi_square", between({"with": [1, 1, 0], "without": [0, 0, 1]}), factor="help")
    assert found.effect_name == "Cramér's V"
    assert "smallest expected count is 1.5" in found.notes[0]


def test_dunn_and_games_howell_use_all_groups() -> None:
    table = between({"a": [1, 2, 3, 4], "b": [3, 4, 5, 6], "c": [8, 9, 11, 12]})
    for analysis in ("dunn", "games_howell"):
        found = estimate_of(analysis, table, factor="help", contrast=("c", "a"))
        assert "all 3 groups" in found.notes[0]
        assert (found.effect or 0) > 0


@pytest.mark.parametrize(
    ("analysis", "fields", "said"),
    [
        ("friedman", {"outcome": "rt_by_phase", "factor": "phase", "direction": "greater"}, "can show different"),
        ("friedman", {"outcome": "rt", "factor": "method"}, "varies between people"),
        ("cochran_q", {"outcome": "rt_by_phase", "factor": "phase"}, "takes binary outcomes"),
        ("chi_square", {"outcome": "rt", "factor": "method"}, "takes"),
        ("fisher", {"outcome": "rt", "factor": "help"}, "takes binary outcomes"),
        ("games_howell", {"outcome": "rt", "factor": "method", "contrast": ("lime", "shap"), "direction": "less"}, "can show"),
        ("dunn", {"outcome": "rt_by_phase", "factor": "phase", "contrast": ("before", "after")}, "varies within people"),
        ("cronbach_alpha", {"outcome": "rt"}, "needs single trials"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_data_exist(analysis: str, fields: dict[str, object], said: str) -> None:
    outcomes = (outcome("rt", "rt"), outcome("rt_by_phase", "rt", by=("phase",)))
    hypothesis = Hypothesis.model_validate({"hypothesis_id": "h", "claim": "c", "analysis": analysis, **fields})
    assert said in " ".join(plan_faults(plan(hypothesis, outcomes=outcomes), VARIABLES))
