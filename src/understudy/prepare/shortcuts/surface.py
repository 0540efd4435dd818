"""Surface: what is visible in an item without understanding it, as numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.schema import Trial

MARK = "edit of "
"""Prefix of a mark's name; marks are only weighed together, because there are as many as columns."""


def surface_of(trial: Trial) -> dict[str, float]:
    """Return named counts and marks: lengths, numbers of edits, which part was edited."""
    content = trial.params.get("content")
    if not isinstance(content, Mapping):
        return {}
    original, edited = content.get("original"), content.get("edited")
    if isinstance(original, Mapping) and isinstance(edited, Mapping):
        return _edits(original, edited) | _lengths(edited, "the edited case")
    return _lengths(content, "the case")


def _edits(original: Mapping[str, Any], edited: Mapping[str, Any]) -> dict[str, float]:
    if "tokens" in original and "tokens" in edited:
        pairs = list(zip(original["tokens"], edited["tokens"], strict=False))
        n_longer = len(edited["tokens"]) - len(original["tokens"])
        return {
            "number of edits": sum(old != new for old, new in pairs) + abs(n_longer),
            "added length": float(n_longer),
        }
    changed = [name for name in original if original[name] != edited.get(name)]
    marks = {f"{MARK}{name}": float(name in changed) for name in original}
    return {"number of edits": float(len(changed))} | marks


def _lengths(content: Mapping[str, Any], what: str) -> dict[str, float]:
    n_words = sum(_n_words(value) for value in content.values())
    return {f"number of words in {what}": float(n_words)} if n_words else {}


def _n_words(value: Any) -> int:
    if isinstance(value, str):
        return len(value.split())
    if isinstance(value, Sequence):
        return sum(_n_words(part) for part in value)
    return 0
