"""The raw points of a report are those that were analysed."""

import itertools

import pandas as pd
import pytest

from understudy.estimate.descriptions import points_from_outcomes
from understudy.estimate.outcomes import OutcomeRows
from understudy.schema import AnalysisPlan, Hypothesis, Json, Outcome, Ref

ROWS = pd.DataFrame(
    [
        {"participant": f"{method}{n}", "method": method, "phase": phase, "item": item, "value": 1.0}
        for method, n, phase, item in itertools.product(
            ("lime", "anchor", "none"), range(2), ("pre", "post"), ("a", "b")
        )
    ]
)


@pytest.mark.parametrize(
    ("params", "methods"),
    [
        ({}, {"lime", "anchor", "none"}),
        ({"between": "method", "level": "lime"}, {"lime"}),
        ({"between": "method", "level": "lime", "reference": "none"}, {"lime", "none"}),
        ({"between": "method", "level": "lime", "method": "published"}, {"lime", "anchor", "none"}),
    ],
)
def test_points_are_the_rows_that_an_analysis_reads(params: Json, methods: set[str]) -> None:
    claim = Hypothesis(
        hypothesis_id="H1",
        claim="It changes.",
        outcome="right",
        factor="phase",
        analysis=Ref(name="change", params=params),
    )
    plan = AnalysisPlan(outcomes=(Outcome(name="right", measure="accuracy"),), hypotheses=(claim,))
    points = points_from_outcomes(plan, {"right": OutcomeRows(ROWS)})
    read = ROWS[ROWS["method"].isin(methods)]
    assert list(points["participant"]) == list(read["participant"])
    assert list(points["item"]) == list(read["item"])
