"""Rules that could answer items without understanding, each scored on items it was not fitted to.

Every function takes many columns of targets at once, so that shuffled targets cost little extra.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.schema import Trial, json_from_record

Marks = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Cut(NamedTuple):
    """A threshold, and whether values at or above it mean yes."""

    at: float
    is_yes_above: bool


def left_out_by_cut(values: Floats, targets: Marks) -> Floats:
    """Return, for each column of targets, how often the best threshold on the other items is right on the one left out."""
    cuts = np.unique(values)[1:]
    if cuts.size == 0:
        return left_out_by_majority(targets)
    above = values[:, None] >= cuts
    says_yes = np.concatenate([above, ~above], axis=1)
    is_right = says_yes[:, :, None] == targets[:, None, :]
    # Each item's own result is subtracted, so that its threshold is chosen without it.
    others = is_right.sum(axis=0)[None] - is_right
    best = others.argmax(axis=1)
    chosen: Floats = np.take_along_axis(is_right, best[:, None, :], axis=1)[:, 0].mean(axis=0)
    return chosen


def left_out_by_majority(targets: Marks) -> Floats:
    """Return how often the majority answer of the other items is right on the one left out; a tie is half right."""
    n_yes = targets.sum(axis=0)[None] - targets
    n_others = len(targets) - 1
    share = np.where(2 * n_yes == n_others, 0.5, (2 * n_yes > n_others) == targets)
    result: Floats = share.mean(axis=0)
    return result


def left_out_by_value(values: Sequence[str], targets: Marks) -> Floats:
    """Return how often the majority of the other items with the same value is right on the one left out.

    A tie is half right, and so is an item without any other of its value.
    """
    same = np.equal.outer(np.asarray(values), np.asarray(values))
    np.fill_diagonal(same, False)
    n_others = same.sum(axis=1)[:, None]
    n_yes = same.astype(np.float64) @ targets
    share = np.where(2 * n_yes == n_others, 0.5, (2 * n_yes > n_others) == targets)
    result: Floats = share.mean(axis=0)
    return result


def left_out_by_weights(columns: Floats, targets: Marks, *, ridge: float = 1.0) -> Floats:
    """Return how often a weighted sum of all columns, fitted to the other items, is right on the one left out."""
    spread = columns.std(axis=0)
    standard = (columns[:, spread > 0] - columns[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    design = np.column_stack([np.ones(len(columns)), standard])
    penalty = np.diag([0.0] + [ridge] * standard.shape[1])
    hat = design @ np.linalg.solve(design.T @ design + penalty, design.T)
    wanted = np.where(targets, 1.0, -1.0)
    # The prediction for an item that was left out follows from its leverage alone.
    leverage = np.diag(hat)[:, None]
    predicted = (hat @ wanted - leverage * wanted) / (1 - leverage)
    result: Floats = ((predicted > 0) == targets).mean(axis=0)
    return result


def best_cut(values: Floats, target: Marks) -> Cut:
    """Return the threshold that is right most often on all items."""
    cuts = [Cut(float(at), is_above) for at in np.unique(values)[1:] for is_above in (True, False)]
    return max(cuts, key=lambda cut: int(((values >= cut.at) == (target == cut.is_yes_above)).sum()))


# Surface: what is visible in an item without understanding it, as numbers and as shown values.

MARK = "edit of "
"""Prefix of a mark's name; marks are only weighed together, because there are as many as columns."""
_SHOWN = ("similarity", "probability", "score", "confidence")
"""Numbers in an explanation that a page shows as such."""
_ROWS = ("rows", "steps")


def surface_of(trial: Trial) -> dict[str, float]:
    """Return named counts and marks: lengths, numbers of edits, which part was edited, numbers that the page shows."""
    return {**_of_content(trial.params.get("content")), **_of_explanation(trial), **_of_revealed(trial)}


def values_shown(trial: Trial) -> dict[str, str]:
    """Return the values that a page reveals, such as the predicted class."""
    revealed = trial.params.get("revealed")
    if not isinstance(revealed, Mapping):
        return {}
    return {str(name): value for name, value in revealed.items() if isinstance(value, str)}


def _of_content(content: Any) -> dict[str, float]:
    if not isinstance(content, Mapping):
        return {}
    original, edited = content.get("original"), content.get("edited")
    if isinstance(original, Mapping) and isinstance(edited, Mapping):
        return _edits(original, edited) | _lengths(edited, "the edited case")
    return _lengths(content, "the case")


def _of_explanation(trial: Trial) -> dict[str, float]:
    """Return how many rows an explanation has, how large its pictures are, and the numbers that it shows."""
    if trial.explanation is None:
        return {}
    written = json_from_record(trial.explanation)
    found: dict[str, float] = {}
    rows = [len(value) for name, value in _fields(written) if name in _ROWS and isinstance(value, list)]
    if rows:
        found["number of rows"] = float(sum(rows))
    for name in _SHOWN:
        numbers = [value for field, value in _fields(written) if field == name and _is_number(value)]
        if numbers:
            found |= {
                f"{how} shown {name}": float(of(numbers))
                for how, of in (("lowest", min), ("highest", max), ("mean", fmean))
            }
    sizes = [value for field, value in _fields(written.get("picture")) if field in ("width", "height")]
    return found | ({"size of the picture": float(sum(sizes))} if sizes and all(map(_is_number, sizes)) else {})


def _of_revealed(trial: Trial) -> dict[str, float]:
    revealed: Any = trial.params.get("revealed")
    if not isinstance(revealed, Mapping):
        return {}
    return {f"shown {_in_words(name)}": float(value) for name, value in revealed.items() if _is_number(value)}


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field of a JSON value with its name, however deep."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield name, part
            yield from _fields(part)
    elif isinstance(value, list):
        for part in value:
            yield from _fields(part)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_words(name: Any) -> str:
    return str(name).replace("_", " ")


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
