"""A small plan file and table, as somebody might bring them, for tests of `understudy analyze`."""

import copy
from pathlib import Path
from typing import Any

import tomli_w

PLAIN: dict[str, Any] = {
    "title": "A small table",
    "table": {"participant": "worker", "item": "picture", "columns": {"rt_ms": "Reaction time (ms)"}},
    "factors": [
        {"name": "arm", "scope": "between", "column": "group", "recode": {"0": "plain", "1": "helped"},
         "levels": ["helped", "plain"]},
        {"name": "difficulty", "scope": "item", "column": "level", "levels": ["easy", "hard"]},
    ],
    "derive": [
        {"name": "n_answers", "value": "count(right)", "by": ["participant"]},
        {"name": "fastest_ms", "value": "min(rt_ms)", "by": ["participant"], "where": "difficulty == 'easy'"},
    ],
    "keep": [{"label": "main_part", "reason": "Practice is left out", "rule": "part == 'main'"}],
    "exclusions": [
        {"exclusion_id": "too_fast", "reason": "An answer under 100 ms", "rule": "fastest_ms < 100"},
        {"exclusion_id": "unfinished", "reason": "Fewer than three answers", "rule": "n_answers < 3"},
    ],
    "measures": [
        {"name": "is_right", "value": "right", "unit": "trial", "scale": "binary"},
        {"name": "age", "unit": "session", "scale": "continuous"},
    ],
    "plan": {
        "outcomes": [{"name": "accuracy", "measure": "is_right"}, {"name": "years", "measure": "age"}],
        "descriptions": [{"description_id": "by_arm", "outcome": "accuracy", "by": ["arm"]}],
    },
    "published": [
        {"label": "helped", "value": 0.7, "decimals": 1, "description": "by_arm", "group": "helped", "quantity": "mean"},
        {"label": "left", "value": 5, "decimals": 0, "step": "too_fast", "quantity": "n_left", "is_expected": False},
    ],
}  # fmt: skip

HEADING = "worker,group,picture,level,part,right,Reaction time (ms),age"


def plain(**changes: Any) -> dict[str, Any]:
    """Return the plan file as plain values, with some of its fields changed."""
    return copy.deepcopy(PLAIN) | changes


def table_text() -> str:
    """Write six people with four answers each, one of them too fast and one unfinished."""
    lines = [HEADING]
    for person in range(6):
        for picture in range(2 if person == 5 else 4):
            level = ("easy", "hard")[picture % 2]
            part = "practice" if picture == 0 else "main"
            right = 0 if (person + picture) % 3 == 0 else 1
            rt_ms = 50 if person == 4 else 500 + 10 * picture
            lines.append(f"w{person},{person % 2},p{picture},{level},{part},{right},{rt_ms},{20 + person}")
    return "\n".join(lines) + "\n"


def write_plan(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "plan.toml"
    path.write_text(tomli_w.dumps(content), encoding="utf-8")
    return path


def write_table(folder: Path, text: str | None = None) -> Path:
    path = folder / "table.csv"
    path.write_text(table_text() if text is None else text, encoding="utf-8")
    return path
