"""A contrast can take the branch that the test of all levels takes."""

import numpy as np
import pandas as pd
import pytest

from understudy.estimate import Collected, findings_from_tables
from understudy.estimate.tables import Tables
from understudy.estimate.variables import FactorVariable, MeasureVariable, Variables
from understudy.schema import AnalysisPlan, Finding

LEVELS = ("a", "b", "c")
VARIABLES = Variables(
    measures={"score": MeasureVariable("session", "continuous")}, factors={"group": FactorVariable("between", LEVELS)}
)


def table(*, is_skewed: bool) -> Tables:
    """Three normal groups; the third is skewed if asked."""
    rng = np.random.default_rng(1)
    values = {level: rng.normal(k, 1, 40) for k, level in enumerate(LEVELS)}
    if is_skewed:
        values["c"] = np.exp(2 * values["c"])
    rows = [(f"{level}{k}", level, value) for level in LEVELS for k, value in enumerate(values[level])]
    sessions = pd.DataFrame(rows, columns=["participant", "group", "score"])
    return Tables(pd.DataFrame(columns=["participant"]), sessions)


def contrast(levels: str, *, is_skewed: bool) -> Finding:
    tree = {"check": "shapiro_wilk", "levels": levels, "if_holds": "planned_contrast", "if_fails": "rank_sum"}
    plan = AnalysisPlan.model_validate(
        {
            "outcomes": [{"name": "score", "measure": "score"}],
            "hypotheses": [
                {"hypothesis_id": "ab", "claim": "a and b differ.", "outcome": "score", "factor": "group",
                 "contrast": ["a", "b"], "analysis": tree},
            ],
        }
    )  # fmt: skip
    collected = Collected(study_digest="", session_digests=frozenset())
    rng = np.random.default_rng(1)
    (finding,) = findings_from_tables(
        plan, table(is_skewed=is_skewed), VARIABLES, collected=collected, rng=rng
    ).findings
    return finding


@pytest.mark.parametrize(("levels", "analysis"), [("contrasted", "planned_contrast"), ("all", "rank_sum")])
def test_a_skewed_third_group_decides_only_if_all_levels_are_checked(levels: str, analysis: str) -> None:
    assert contrast(levels, is_skewed=True).analysis == analysis


def test_a_planned_contrast_pools_the_error_of_the_third_group() -> None:
    estimate = contrast("all", is_skewed=False).estimate
    assert estimate is not None
    assert estimate.df == (117.0,)
    assert "The error is pooled over 3 groups." in estimate.notes
