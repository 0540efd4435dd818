"""Parts the published designs share."""

from typing import Any

from tests.small_studies import consent, debrief
from understudy.schema import Study

SEQ = {"kind": "rating", "question_id": "difficulty", "prompt": "How hard was this?", "points": 7}


UNDERSTANDING = {
    "kind": "rating",
    "question_id": "understanding",
    "prompt": "How well do you understand it?",
    "points": 5,
}


CONFIDENCE = {"kind": "rating", "question_id": "confidence", "prompt": "How sure are you?", "points": 5}


SOLVED = {"kind": "choice", "question_id": "solved", "prompt": "Did it match?", "options": ["solved", "skipped"]}


BAND = {"kind": "choice", "question_id": "band", "prompt": "Low, medium or high?", "options": ["low", "medium", "high"]}


RELEVANT = {
    "kind": "choice",
    "question_id": "relevant",
    "prompt": "Does the model use this?",
    "options": ["relevant", "irrelevant"],
}


WHY = {"kind": "text", "question_id": "why", "prompt": "Please say why.", "min_chars": 10}


LABEL = {"kind": "choice", "question_id": "output", "prompt": "What does the model answer?", "options": ["A", "B"]}


def screen(block_id: str, purpose: str, task: str, **params: Any) -> dict[str, Any]:
    return {"kind": "screen", "block_id": block_id, "purpose": purpose, "task": {"name": task, "params": params}}


def text(block_id: str, purpose: str = "instructions") -> dict[str, Any]:
    return screen(block_id, purpose, "instructions", pages=["Please read this page."])


def questions(block_id: str, *asked: dict[str, Any], purpose: str = "questionnaire", **params: Any) -> dict[str, Any]:
    return screen(block_id, purpose, "questionnaire", questions=list(asked), **params)


def stage(
    block_id: str, items: str | None, *asked: dict[str, Any], keys: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    block: dict[str, Any] = {
        "kind": "stage",
        "block_id": block_id,
        "task": {
            "name": "judge",
            "params": {"questions": list(asked), "keys": keys or {}, "reveals": more.pop("reveals", [])},
        },
        **more,
    }
    return block if items is None else {**block, "items": items}


def study(name: str, **parts: Any) -> Study:
    plain = {"name": name, "title": name.replace("-", " "), "seed": 11, **parts}
    plain["flow"] = [consent(), *parts["flow"], debrief()]
    return Study.model_validate(plain)


def hypothesis(name: str, outcome: str, analysis: Any, **more: Any) -> dict[str, Any]:
    return {"hypothesis_id": name, "claim": f"{outcome} differs.", "outcome": outcome, "analysis": analysis, **more}
