"""A paid study with every ending: consent, a gate, a live exclusion, bonuses, and Prolific as its recruiter."""

from typing import Any

from tests.small_studies import consent, debrief, two_group_plain
from understudy.schema import Study

PARTIAL = 0.40
BASE = 2.00
PROLIFIC = {
    "recruiter": "prolific",
    "title": "Predict a computer program",
    "description": "You guess what a program will say about twelve cases.",
    "devices": ["desktop"],
    "hourly_minimum": 9.0,
}


def paid_plain(**changes: Any) -> dict[str, Any]:
    """The study as plain values; `ready` fails the gate with "no", `effort` is excluded with "none"."""
    plain = two_group_plain()
    gate = {"at_least": 1.0, "pay_amount": PARTIAL, "reason": "The check question was not answered as needed."}
    ready = _questions("ready", "comprehension", ["yes", "no"]) | {"gate": gate}
    effort = _questions("effort", "questionnaire", ["some", "none"])
    lazy = {
        "exclusion_id": "lazy", "reason": "Said that they made no effort.", "applies": "live",
        "rule": "effort < 1", "pay_share": 1.0, "keeps_bonus": False,
    }  # fmt: skip
    return plain | {
        "access": {"ids": "required"},
        "flow": [consent(), ready, effort, plain["flow"][1], debrief()],
        "measures": [
            *plain["measures"],
            {"name": "n_right", "measure": "correct", "summary": "sum"},
            {"name": "effort", "measure": "correct", "summary": "mean", "blocks": ["effort"]},
        ],
        "exclusions": [lazy],
        "pay": {
            "currency": "GBP", "base": BASE, "expected_minutes": 10,
            "bonuses": [{"measure": "n_right", "per_unit": 0.05, "at_most": 0.5}],
        },
        "recruitment": PROLIFIC,
    } | changes  # fmt: skip


def paid_study(**changes: Any) -> Study:
    return Study.model_validate(paid_plain(**changes))


def _questions(name: str, purpose: str, options: list[str]) -> dict[str, Any]:
    asked = {"kind": "choice", "question_id": name, "prompt": f"{name}?", "options": options}
    task: dict[str, Any] = {"name": "questionnaire", "params": {"questions": [asked], "answers": {name: options[0]}}}
    return {"kind": "screen", "block_id": name, "purpose": purpose, "task": task}
