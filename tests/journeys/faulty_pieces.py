"""The pieces faulty studies are made of: what is changed in a sound one, and what a person then reads."""

import copy
from enum import Enum
from typing import Any, NamedTuple

from tests.small_studies import RIGHT_OR_WRONG, two_group_plain
from understudy.registry import Catalogue, names


class Edit(Enum):
    """Changes that are not values."""

    DROP = "remove what is there"
    SAME = "a copy of the first entry"


DROP, SAME = Edit.DROP, Edit.SAME
H1 = "plan.hypotheses.1"


class Faulty(NamedTuple):
    """A study with something wrong, and the sentences that say so."""

    label: str
    changes: dict[str, Any]
    """Where -> what is put there; entries count from 1, as in the sentences, and + or the place after the last adds one."""
    says: tuple[str, ...]


def changed_plain(changes: dict[str, Any]) -> dict[str, Any]:
    """The sound study of two groups, changed in these places."""
    plain = copy.deepcopy(two_group_plain())
    for path, value in changes.items():
        _change(plain, path, copy.deepcopy(value))
    return plain


def _change(plain: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split(".")
    at: Any = plain
    for part in way:
        at = at[int(part) - 1] if isinstance(at, list) else at.setdefault(part, {})
    if last == "+":
        at.append(copy.deepcopy(at[0]) if value is SAME else value)
        return
    place = int(last) - 1 if isinstance(at, list) else last
    if place == len(at):
        at.append(value)
    elif value is DROP:
        del at[place]
    else:
        at[place] = value


def known(catalogue: Catalogue) -> str:
    return ", ".join(names(catalogue))


def quiz(gate: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    asked = {"kind": "choice", "question_id": "q1", "prompt": "Which?", "options": ["a", "b"]}
    task = {"name": "questionnaire", "params": {"questions": [asked], **params}}
    block = {"kind": "screen", "block_id": "quiz", "purpose": "comprehension", "task": task}
    return block if gate is None else {**block, "gate": gate}


def stage(**more: Any) -> dict[str, Any]:
    task = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG], "keys": {"guess": "answer"}}}
    return {"kind": "stage", "block_id": "predict", "items": "cases", "task": task, **more}


def without_items(**more: Any) -> dict[str, Any]:
    return {name: value for name, value in stage(**more).items() if name != "items"}


def loop(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "loop", "block_id": "rounds", "over": "phase", "blocks": list(blocks), **more}


def low(rule: str) -> dict[str, Any]:
    return {"exclusion_id": "low", "reason": "Low.", "rule": rule}


def faulty_rule(name: str, rule: str, said: str) -> Faulty:
    return Faulty(name, {"exclusions": [low(rule)]}, (f"exclusions[1].rule: {rule!r} {said}",))


def condition(name: str, level: str) -> dict[str, Any]:
    return {"name": name, "levels": {"explanation": level}}


def answers_as_factor(*levels: str) -> dict[str, Any]:
    return {"name": "answer", "scope": "item", "levels": list(levels)}


def loans(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "n_items": 2, "dataset": "loan_cases", **more}


UNKEYED = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG]}}
PHASE = {"name": "phase", "scope": "within", "levels": ["pre", "post"]}
N_RIGHT = {"name": "n_right", "measure": "correct", "summary": "sum"}
RATED = {"kind": "rating", "question_id": "sure", "prompt": "How sure are you?", "points": 5}
