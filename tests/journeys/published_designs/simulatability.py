"""Simulatability: one study with ten arms."""

from typing import Any

from tests.journeys.published_designs.parts import LABEL, hypothesis, questions, stage, study
from tests.small_studies import numbered_items
from understudy.schema import Study


def sim() -> Study:
    """SIM: domain x method between, learn and predict twice, the very items again, everyone later to one arm."""
    methods = ["lime", "anchor", "prototype", "boundary", "composite"]
    cells = {"label": ["A", "B"], "prediction": ["A", "B"]}
    rating = {"kind": "rating", "question_id": "rating", "prompt": "Does this show why?", "points": 7}
    quiz = {"kind": "choice", "question_id": "quiz", "prompt": "Which is true?", "options": ["this", "that"]}
    screening = questions("screening", quiz, purpose="comprehension", answers={"quiz": "this"})
    screening["gate"] = {"at_least": 1, "tries": 1, "reason": "The screening test was not passed."}
    shown: dict[str, Any] = {"reveals": ["label", "prediction"], "purpose": "learning"}
    asked = {"keys": {"output": "prediction"}}
    return study(
        "sim",
        factors=[
            {"name": "domain", "scope": "between", "levels": ["text", "tabular"]},
            {"name": "method", "scope": "between", "levels": methods},
            {"name": "phase", "scope": "within", "levels": ["pre", "post"], "order": "fixed_order"},
            {"name": "test", "scope": "within", "levels": ["forward", "counterfactual"], "order": "fixed_order"},
        ],
        bindings=[{"when": {"domain": d}, "dataset": numbered_items(128, prefix=d, **cells)} for d in ("text", "tabular")],
        conditions=[
            {"name": f"{d}-{m}", "levels": {"domain": d, "method": m}, "quota": 7 if m == "composite" else 3}
            for d in ("text", "tabular") for m in methods
        ],
        assignment={"policy": {"name": "then_target", "params": {"target": "text-composite", "after": 3}}, "quota": 3},
        item_sets=[
            {"name": "learning", "n_items": 16, "strata": ["label", "prediction"]},
            {"name": "forward", "n_items": 32, "strata": ["label", "prediction"], "apart_from": ["learning"]},
            {"name": "edits", "n_items": 32, "strata": ["label", "prediction"], "apart_from": ["learning", "forward"]},
        ],
        flow=[
            screening,
            stage("learn_plain", "learning", order="given", **shown),
            stage("pre", "forward", LABEL, levels={"phase": "pre", "test": "forward"}, n_items=16, order="shared", **asked),
            stage("learn_explained", None, rating, repeats="learn_plain", **shown),
            stage("post", None, LABEL, levels={"phase": "post", "test": "forward"}, repeats="pre", order="shared", **asked),
            stage("cf_pre", "edits", LABEL, levels={"phase": "pre", "test": "counterfactual"}, n_items=16, order="balanced", **asked),
            stage("cf_post", None, LABEL, rating, levels={"phase": "post", "test": "counterfactual"}, repeats="cf_pre", **asked),
        ],
        measures=[{"name": "right", "measure": "correct"},
                  {"name": "minutes_spent", "measure": "session_minutes"},
                  {"name": "rating", "measure": {"name": "answer", "params": {"question": "rating"}}, "blocks": ["cf_post"]}],
        exclusions=[{"exclusion_id": "too_fast", "rule": "minutes_spent < 1", "reason": "Finished impossibly fast."}],
        plan={
            "outcomes": [{"name": "correctness", "measure": "right", "summary": "none"},
                         {"name": "accuracy", "measure": "right", "by": ["phase"]}],
            "hypotheses": [
                hypothesis("change", "correctness", {"name": "two_way_bootstrap", "params": {"n_resamples": 500}}, factor="phase", contrast=["post", "pre"]),
                hypothesis("first", "correctness", "logistic_mixed", factor="method", where="phase == 'pre'"),
                hypothesis("paired", "accuracy", "paired_t", factor="phase", contrast=["post", "pre"]),
            ],
        },
    )  # fmt: skip
