"""A small simulatability study with the plan of Hase & Bansal (2020): six arms, two tests, each before and after."""

from collections.abc import Sequence
from typing import Any

from tests.journeys.published_designs.parts import LABEL, stage
from tests.small_studies import consent, debrief, numbered_items
from understudy.protocols import simulatability_plan
from understudy.schema import Estimate, Findings, Study

ARMS = ("lime", "anchor", "prototype", "decision_boundary", "composite", "control")
RATING = {"kind": "rating", "question_id": "rating", "prompt": "Does this show why?", "points": 7}
CELLS = {"prediction": ["A", "B"], "model_is": ["right", "wrong"]}


def simulatability_study(
    domain: Any = "tabular", *, arms: Sequence[str] = ARMS, minutes: float | None = None, **plan: Any
) -> Study:
    """Build the study; with `minutes`, the last stage ends early for those who are slow."""
    methods = tuple(arm for arm in arms if arm != "control")
    asked_of = {"control": "control" if "control" in arms else None, "published_resamples": 200} | plan
    asked = {"keys": {"output": "prediction"}}
    shown: dict[str, Any] = {"reveals": ["prediction"], "purpose": "learning"}
    late: dict[str, Any] = {} if minutes is None else {"minutes": minutes}
    return Study.model_validate(
        {
            "name": f"small-{domain}",
            "title": "Can people predict the model?",
            "seed": 2020,
            "factors": [
                {"name": "method", "scope": "between", "levels": list(arms)},
                {"name": "test", "scope": "within", "levels": ["forward", "counterfactual"], "order": "fixed_order"},
                {"name": "phase", "scope": "within", "levels": ["before", "after"], "order": "fixed_order"},
                {"name": "model_is", "scope": "item", "levels": ["right", "wrong"]},
            ],
            "assignment": {"quota": 3},
            "item_sets": [
                {"name": name, "n_items": n, "strata": list(CELLS), "dataset": numbered_items(n, prefix=name, **CELLS)}
                for name, n in (("learning", 8), ("forward", 16), ("edits", 16))
            ],
            "flow": [
                consent(),
                stage("learn_plain", "learning", order="given", **shown),
                stage("predict_before", "forward", LABEL, levels={"phase": "before", "test": "forward"}, **asked),
                stage("learn_explained", None, RATING, repeats="learn_plain", **shown),
                stage(
                    "predict_after", None, LABEL, levels={"phase": "after", "test": "forward"},
                    repeats="predict_before", **asked,
                ),
                stage("edit_before", "edits", LABEL, levels={"phase": "before", "test": "counterfactual"}, **asked),
                stage(
                    "edit_after", None, RATING, LABEL, levels={"phase": "after", "test": "counterfactual"},
                    repeats="edit_before", **asked, **late,
                ),
                debrief(),
            ],
            "measures": [
                {"name": "correct", "measure": {"name": "correct", "params": {"question": "output"}}},
                {
                    "name": "rating",
                    "measure": {"name": "answer", "params": {"question": "rating", "kind": "bounded"}},
                    "blocks": ["learn_explained", "edit_after"],
                },
            ],
            "plan": simulatability_plan(methods, domains=(domain,), **asked_of).model_dump(mode="json"),
        }
    )  # fmt: skip


def estimate_of(findings: Findings, hypothesis_id: str) -> Estimate:
    """Return the estimate of a hypothesis that could be tested."""
    found = next(finding for finding in findings.findings if finding.hypothesis_id == hypothesis_id)
    assert found.estimate is not None, found.why
    return found.estimate
