"""Study files as people write them: comments, compact TOML, and names of files that nothing has yet."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any


def free_path(path: Path) -> Path:
    """Return a path, or the same with the first number after its name that is free."""
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return path if not path.exists() else next(other for other in numbered if not other.exists())


# Comments for a new study file: what each part is for, where it begins.

HEADER = (
    "A study: what people see, what they are asked, who is excluded, and what counts as evidence.",
    "Change it, then run: understudy check FILE. The reference of the study file lists every field.",
)
COMMENTS = {
    "factors": "What varies: between people, within a person, over items, or over questions.",
    "bindings": "Which data, model and explanation belong to each level. If several match, the last one is used.",
    "assignment": "How people are assigned, and how many completed sessions each condition needs.",
    "item_sets": "Which items are drawn, and what they are balanced over.",
    "flow": "What people see, page by page.",
    "measures": "What is measured, with the names that the plan uses.",
    "exclusions": "Who is excluded, by rules over session measures.",
    "pay": "What people earn. Participants read expected_minutes on the consent page.",
    "plan": "What counts as evidence: outcomes, descriptions and hypotheses.",
    "plan.outcomes": "One number per person, or one row per trial, from a measure.",
    "plan.hypotheses": "Each claim, and the test that decides it.",
}
_TABLE = re.compile(r"^\[\[?([\w.]+)\]?\]|^([\w]+) = ", re.MULTILINE)


def commented(toml: str) -> str:
    """Return the text of a study with a comment before the first line of each part."""
    waiting = dict(COMMENTS)
    lines = [*(f"# {sentence}" for sentence in HEADER), ""]
    for line in toml.splitlines():
        found = _TABLE.match(line)
        name = (found.group(1) or found.group(2)) if found else None
        if name in waiting:
            lines += [f"# {waiting.pop(name)}"]
        lines.append(line)
    return "\n".join(lines) + "\n"


# Studies as compact TOML: one table for each part, and everything inside it on as few lines as can be read.

_WIDTH = 110
_BARE = re.compile(r"^[A-Za-z0-9_-]+$")


def compact_toml(plain: Mapping[str, Any]) -> str:
    """Return plain values as TOML: parts as tables, what they hold inline. There must be no null."""
    return "\n".join(_table("", plain)).lstrip("\n") + "\n"


def _table(name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table: its values first, then the tables below it."""
    below = {key: value for key, value in fields.items() if _is_part(name, value)}
    for key, value in fields.items():
        if key not in below:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in below.items():
        path = f"{name}.{_key(key)}" if name else _key(key)
        if isinstance(value, Mapping):
            yield from ("", f"[{path}]", *_table(path, value))
        else:
            for entry in value:
                yield from ("", f"[[{path}]]", *(f"{_key(field)} = {_value(inner)}" for field, inner in entry.items()))


def _is_part(name: str, value: Any) -> bool:
    """Tell whether a value gets a heading of its own: tables and lists of tables of the study, and of its plan."""
    if isinstance(value, Mapping):
        return not name and bool(value)
    is_list_of_tables = isinstance(value, Sequence) and not isinstance(value, str) and bool(value)
    return name in ("", "plan") and is_list_of_tables and all(isinstance(entry, Mapping) for entry in value)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        parts = [_value(inner) for inner in value]
        line = f"[{', '.join(parts)}]"
        # An array may go over several lines, even inside an inline table, which itself may not.
        return line if len(line) <= _WIDTH else "[\n" + "".join(f"  {part},\n" for part in parts) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(key: str) -> str:
    return key if _BARE.match(key) else json.dumps(key, ensure_ascii=False)
