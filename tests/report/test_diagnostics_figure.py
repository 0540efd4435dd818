"""Mixed models show their residuals and random effects, drawn in the report."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.analyses import reference_rows
from understudy.report.diagnostics import diagnostics_figure
from understudy.report.drawing import inline_svg
from understudy.schema import Estimate, Finding

TABLE = pd.read_csv(Path(__file__).parents[1] / "reference" / "inputs" / "mixed_within.csv").rename(
    columns={"person": "participant"}
)
KINDS = {"linear_mixed": "score", "logistic_mixed": "yes", "ordinal_mixed": "rating"}


def estimate(analysis: str) -> Estimate:
    table = TABLE.assign(value=TABLE[KINDS[analysis]].astype(float))
    params = {"random": "maximal"}
    return reference_rows.estimate(analysis, table, params=params, factor="level", contrast=("x", "y"))


def finding(found: Estimate) -> Finding:
    return Finding(
        hypothesis_id="H1", claim="It is so.", analysis="linear_mixed", estimate=found, p_adjusted=None, alpha=0.05,
        verdict="supported", status="planned",
    )  # fmt: skip


@pytest.mark.parametrize("analysis", KINDS)
def test_people_and_items_are_shown_with_their_slopes(analysis: str) -> None:
    names = [panel.name for panel in estimate(analysis).diagnostics if panel.name != "Residuals"]
    assert names == ["Participant intercepts", "Participant slopes of level", "Item intercepts", "Item slopes of level"]


def test_residuals_are_answers_less_what_the_model_expects() -> None:
    cloud = estimate("linear_mixed").diagnostics[0]
    assert (cloud.kind, abs(float(np.mean(cloud.y))) < 0.05, len(cloud.x)) == ("residuals", True, 400)


def test_residuals_of_yes_and_no_are_means_within_bounds() -> None:
    binned = estimate("logistic_mixed").diagnostics[0]
    assert binned.kind == "binned"
    assert all(0 < expected < 1 for expected in binned.x)
    assert all(bound > 0 for bound in binned.bound)


def test_the_figure_says_in_words_what_it_shows() -> None:
    figure = diagnostics_figure(finding(estimate("ordinal_mixed")))
    assert figure is not None
    assert "mean residuals are more than two standard errors from zero" in figure.description
    assert "Item slopes of level" in inline_svg(figure, "d")


def test_other_analyses_have_none() -> None:
    plain = Estimate(effect=1.0, effect_name="mean", n_sessions=3, n_rows=3)
    assert diagnostics_figure(finding(plain)) is None
