"""Studies whose answers are like nothing else in them."""

from pathlib import Path
from typing import Any

from PIL import Image

from tests.small_studies import consent, debrief, two_group_plain
from understudy.schema import Study

N_ITEMS = 12
WORDS = [f"quörblax{chr(97 + k)}{chr(122 - k)}vøn" for k in range(N_ITEMS)]
NUMBERS = [7_310_000_000 + 9_973 * k for k in range(N_ITEMS)]
QUIZ_ANSWER = "zwîffelmontar"
OPTIONS = ["first", "second", "third"]

_TEXT = {"kind": "text", "question_id": "word", "prompt": "Which word will the model say?"}
_NUMBER = {"kind": "number", "question_id": "number", "prompt": "Which number will the model say?"}
_CHOICE = {"kind": "choice", "question_id": "choice", "prompt": "What will the model say?", "options": OPTIONS}

ARM = {"factor": "glimfactor", "levels": ("vorpalbright", "snickerdim")}
"""A between-factor whose names are like nothing else."""


def _items(**attributes: list[Any]) -> dict[str, Any]:
    items = [
        {"content": {"name": f"case {k}"}, "attributes": {name: values[k] for name, values in attributes.items()}}
        for k in range(N_ITEMS)
    ]
    return {"name": "cases", "n_items": N_ITEMS, "dataset": {"name": "listed", "params": {"items": items}}}


def _study(name: str, items: dict[str, Any], task: dict[str, Any], *before: dict[str, Any]) -> Study:
    stage = {"kind": "stage", "block_id": "predict", "items": "cases", "task": task}
    flow = [consent(), *before, stage, debrief()]
    return Study.model_validate(two_group_plain(name=name, item_sets=[items], flow=flow))


def nonce_study(root: Path) -> Study:
    """People write a word and a number, after a picture and a check whose answer is as odd."""
    Image.new("RGB", (4, 4), "teal").save(root / "picture.png")
    look = {"name": "instructions", "params": {"pages": ["Look."], "assets": ["picture.png"]}}
    ask = {"kind": "text", "question_id": "quiz", "prompt": "What does the model do?"}
    quiz = {"name": "questionnaire", "params": {"questions": [ask], "answers": {"quiz": QUIZ_ANSWER}}}
    return _study(
        "nonce",
        _items(word=WORDS, number=NUMBERS),
        {"name": "judge", "params": {"questions": [_TEXT, _NUMBER], "keys": {"word": "word", "number": "number"}}},
        {"kind": "screen", "block_id": "look", "purpose": "instructions", "task": look},
        {"kind": "screen", "block_id": "quiz", "purpose": "comprehension", "task": quiz,
         "gate": {"at_least": 1, "tries": 2, "on_fail": "go_on"}},
    )  # fmt: skip


def armed_study() -> Study:
    """Blocks, screening and earlier material are named after the condition, as people name them."""
    bright, dim = ARM["levels"]
    ask = {"kind": "choice", "question_id": "quiz", "prompt": "Which?", "options": ["this", "that"]}
    check = {"name": "questionnaire", "params": {"questions": [ask], "answers": {"quiz": "this"}}}
    blocks: list[dict[str, Any]] = []
    for level in (bright, dim):
        read = {"name": "instructions", "params": {"pages": ["Please read this."]}}
        only = {"when": {ARM["factor"]: level}}
        blocks += [
            {"kind": "screen", "block_id": f"lesson_{level}", "purpose": "instructions", "task": read, **only},
            {"kind": "screen", "block_id": f"screening_{level}", "purpose": "comprehension", "task": check, **only,
             "gate": {"at_least": 1, "tries": 2, "on_fail": "go_on"}},
            {"kind": "stage", "block_id": f"predict_{level}", "items": "cases", **only,
             "task": {"name": "judge", "params": {"questions": [_CHOICE], "keys": {"choice": "answer"}}},
             "references": [{"block": f"lesson_{level}"}]},
        ]  # fmt: skip
    plain = two_group_plain(
        name="armed",
        factors=[{"name": ARM["factor"], "scope": "between", "levels": list(ARM["levels"])}],
        item_sets=[_items(answer=[OPTIONS[k % 3] for k in range(N_ITEMS)])],
        flow=[consent(), *blocks, debrief()],
    )
    plain["plan"]["hypotheses"][0] |= {"factor": ARM["factor"], "contrast": list(ARM["levels"])}
    return Study.model_validate(plain)


def keyed_study(*, shift: int) -> Study:
    """People choose one of three; `shift` permutes which is right for which item and changes nothing else."""
    right = [OPTIONS[(k * k + shift) % len(OPTIONS)] for k in range(N_ITEMS)]
    return _study(
        "keyed",
        _items(answer=right),
        {"name": "judge", "params": {"questions": [_CHOICE], "keys": {"choice": "answer"}}},
    )
