"""Comparison of stored results with new ones: numbers and verdicts must agree, wording may improve, fields may be added."""

import csv
import json
import math
import zipfile
from pathlib import Path
from typing import Any

WORDING = frozenset(
    {
        "title", "claim", "label", "reason", "why", "checks", "deviations", "note", "notes", "effect_name", "statistic_name",
        "name", "software", "data_digest", "sentence", "text", "description",
    }
)  # fmt: skip
"""Fields that are prose, or that name software and columns; what they speak of is compared by its numbers."""

RENAMED = {"confirmatory": "planned"}
"""Words of earlier versions, and what they are called now."""


def differences(old: Any, new: Any, *, skipped: frozenset[str] = frozenset(), path: str = "") -> list[str]:
    """Name every place where something stored is missing or has another value; what is new is allowed."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            fault
            for key, value in old.items()
            if key not in skipped and not _is_corrected(key, value, new.get(key))
            for fault in differences(value, new.get(key, "(missing)"), skipped=skipped, path=f"{path}.{key}")
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        old, new = _by_group(old), _by_group(new)
        return [
            fault
            for number, (before, after) in enumerate(zip(old, new, strict=True))
            for fault in differences(before, after, skipped=skipped, path=f"{path}[{number}]")
        ]
    return [] if _agrees(old, new) else [f"{path}: {old!r} was stored, {new!r} is found"]


def _by_group(values: list[Any]) -> list[Any]:
    """Sort summaries of groups by name: version 0.1.0 listed levels as they came, and not as they are declared."""
    is_groups = all(isinstance(value, dict) and "group" in value for value in values)
    return sorted(values, key=lambda value: str(value["group"])) if is_groups else values


def _is_corrected(key: str, old: Any, new: Any) -> bool:
    """Tell whether version 0.1.0 was wrong: rank intervals of few values always said 95 %, and an epsilon of two people
    was 1 or -1 by rounding, and a chi-square of 0 plus a rounding error had p = .5. One person against one other had a
    rank interval without any width, which no confidence goes with.
    """
    if key == "interval" and new is None and isinstance(old, dict):
        return bool(old["low"] == old["high"])
    if not isinstance(old, float) or not isinstance(new, float):
        return False
    if key in {"p_value", "p_adjusted"}:
        return math.isclose(old, 0.5, abs_tol=1e-6) and new == 1
    return (key == "level" and new < old) or (key == "huynh_feldt_epsilon" and old < 0 and new == 1)


def _agrees(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, int | float) and not isinstance(new, bool):
        return math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(old, str):
        old = RENAMED.get(old, old)
    return type(old) is type(new) and bool(old == new)


def _value(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


class Archive:
    """An exported archive: its findings, tables and events."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            self._contents = {name: archive.read(name) for name in archive.namelist()}

    @property
    def findings(self) -> Any:
        """The findings, as the report prints them."""
        return json.loads(self._contents["results/findings.json"])

    @property
    def events(self) -> list[Any]:
        """Every event."""
        name = next(name for name in self._contents if name.endswith("vents.jsonl"))
        return [json.loads(line) for line in self._contents[name].splitlines()]

    def columns(self) -> dict[str, list[Any]]:
        """The columns of both tables, by the name of the file and their heading."""
        found: dict[str, list[Any]] = {}
        for name, content in self._contents.items():
            if name.startswith("data/") and name.endswith(".csv"):
                heading, *rows = csv.reader(content.decode().splitlines(keepends=True))
                for column, values in zip(heading, zip(*rows, strict=True), strict=True):
                    found[f"{name}: {column}"] = [_value(text) for text in values]
        return found

    def file(self, name: str) -> bytes:
        """A file as it is."""
        return self._contents[name]

    def write(self, ending: str, folder: Path) -> Path:
        """Write the only file with this ending into a folder."""
        name = next(name for name in self._contents if name.endswith(ending))
        path = folder / Path(name).name
        path.write_bytes(self._contents[name])
        return path
