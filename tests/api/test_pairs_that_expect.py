"""Tests of pairs are two-sided; a claim with a direction is not supported by the reverse difference."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import understudy as us

PLAN = Path(__file__).with_name("pairs_that_expect.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("analysis", ["tukey_hsd", "games_howell", "holm_pairs"])
@pytest.mark.parametrize(("difference", "verdict"), [(2.0, "supported"), (-2.0, "opposite")])
def test_the_sign_of_a_pair_decides_between_support_and_opposite(
    analysis: str, difference: float, verdict: str, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("ANALYSIS", analysis), encoding="utf-8")
    groups = np.repeat(["x", "y", "z"], 20)
    scores = np.random.default_rng(1).normal(0, 1, 60) + difference * (groups == "x")
    table = pd.DataFrame({"person": [f"p{k}" for k in range(60)], "group": groups, "score": scores})
    found = us.analyze(table, tmp_path / "plan.toml")
    assert [finding.verdict for finding in found.findings.findings] == [verdict]
