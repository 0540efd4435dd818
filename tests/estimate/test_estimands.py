"""Findings name what they estimate, and say when a decision tree changed it."""

import numpy as np
import pandas as pd

from understudy import registry
from understudy.estimate import Collected, FactorVariable, MeasureVariable, Tables, Variables, findings_from_tables
from understudy.roles import HasEstimand
from understudy.schema import AnalysisPlan, Finding

TREE = {"check": {"name": "shapiro_wilk"}, "if_holds": "welch_t", "if_fails": "rank_sum"}


def finding(values: np.ndarray) -> Finding:
    sessions = pd.DataFrame(
        {"participant": [f"p{k}" for k in range(values.size)], "help": ["with", "without"] * (values.size // 2),
         "score": values}
    )  # fmt: skip
    claim = {"hypothesis_id": "H1", "claim": "Help helps.", "outcome": "score", "factor": "help", "analysis": TREE}
    plan = AnalysisPlan.model_validate({"outcomes": [{"name": "score", "measure": "score"}], "hypotheses": [claim]})
    variables = Variables(
        {"score": MeasureVariable("session", "continuous")},
        {"help": FactorVariable("between", ("with", "without"))},
    )
    tables = Tables(pd.DataFrame(columns=["participant"]), sessions)
    collected = Collected(study_digest="", session_digests=frozenset())
    return findings_from_tables(plan, tables, variables, collected=collected, rng=np.random.default_rng(1)).findings[0]


def test_a_tree_that_changes_the_estimand_says_so() -> None:
    found = finding(np.random.default_rng(2).exponential(1, 80) ** 3)
    assert found.estimate is not None
    assert found.estimand.startswith("the shift between two groups")
    assert found.estimate.notes[0].startswith("The checks changed the estimand: rank_sum estimates the shift")


def test_a_tree_that_keeps_it_says_nothing() -> None:
    found = finding(np.random.default_rng(3).normal(0, 1, 80))
    assert found.estimate is not None
    assert found.estimand == "the difference of the means of two groups"
    assert "estimand" not in " ".join(found.estimate.notes)


def test_every_analysis_of_the_catalogue_names_its_estimand() -> None:
    entries = {name: registry.entry("analyses", name) for name in registry.names("analyses")}
    ours = {name: entry for name, entry in entries.items() if entry.__module__.startswith("understudy.")}
    assert len(ours) > 50
    assert [name for name, entry in ours.items() if not isinstance(entry, HasEstimand)] == []
