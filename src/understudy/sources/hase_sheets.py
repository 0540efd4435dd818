"""The released workbooks of Hase and Bansal (2020), checked to be complete and about the same items.

The folder holds `master.csv` and `trials.csv`: all rows of the 66 usable workbooks, one after the other, each with the
domain, test, phase, method and position it comes from. Reading comma-separated text needs no further library.
"""

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from understudy.errors import MaterialsError
from understudy.sources.hase_stimuli import (
    Domain,
    Edit,
    Item,
    Part,
    content_from_text,
    edited_from_text,
    label_from_text,
)

Method: TypeAlias = Literal["LIME", "Anchor", "prototype", "decision_boundary", "composite", "omission"]
METHODS: tuple[Method, ...] = ("LIME", "Anchor", "prototype", "decision_boundary", "composite", "omission")
N_TRIALS = 880
"""Rows of all sheets of one domain."""
PER_CELL: dict[Part, int] = {"learning": 4, "forward": 8, "counterfactual": 8}
"""Items of each combination of label and prediction."""
_PARTS: dict[tuple[str, str], Part] = {
    ("forward", "learning"): "learning",
    ("forward", "pre"): "forward",
    ("forward", "post"): "forward",
    ("counterfactual", "pre"): "counterfactual",
    ("counterfactual", "post"): "counterfactual",
}
COLUMNS = {
    "master.csv": ("domain", "test", "id", "context", "perturbation", "label", "model", "perturbation_model"),
    "trials.csv": (
        "domain", "test", "phase", "method", "id", "context", "label", "model", "explanation", "explanation_a",
        "explanation_b", "perturbation",
    ),
    "validity.csv": ("condition_file", "id", "method", "explanation"),
}  # fmt: skip
"""File -> the columns that are read."""
Row: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Stimuli:
    """The items of one domain, by row, and what each method says about those it explains."""

    domain: Domain
    items: tuple[Item, ...]
    texts: Mapping[tuple[str, int], tuple[str, ...]]
    """Method and row -> its released text, in two parts for the composite method."""
    trials: tuple[Row, ...]
    """The rows of the sheets, as released."""

    def of(self, part: Part) -> tuple[Item, ...]:
        """Return the items of one part."""
        return tuple(item for item in self.items if item.part == part)


def stimuli_folder(folder: str, environment: Mapping[str, str]) -> Path:
    """Return the named folder, or the one inside the data folder."""
    if folder:
        return Path(folder)
    data = environment.get("UNDERSTUDY_DATA", "")
    return (Path(data) if data else Path.home() / ".understudy" / "data") / "simulatability-stimuli"


def read_stimuli(folder: Path, domain: Domain) -> Stimuli:
    """Read one domain, and make sure that every sheet shows the same items and that they are balanced."""
    # Every explanation of a study asks for its sheets: reading them 480 times was most of preparing it.
    return _read_stimuli(folder, domain, tuple(_version_of(folder / name) for name in ("trials.csv", "master.csv")))


def _version_of(path: Path) -> tuple[int, int]:
    """Return what tells a changed sheet from the one that was read; a missing sheet gets its own sentence later."""
    if not path.is_file():
        return (0, 0)
    found = path.stat()
    return (found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=8)
def _read_stimuli(folder: Path, domain: Domain, _versions: tuple[tuple[int, int], ...]) -> Stimuli:
    trials = tuple(row for row in rows_in(folder / "trials.csv") if row["domain"] == domain)
    master = [row for row in rows_in(folder / "master.csv") if row["domain"] == domain]
    unknown = {row["method"] for row in trials} - {*METHODS, "blackbox"}
    unknown |= {f"{row['test']} {row['phase']}" for row in trials if (row["test"], row["phase"]) not in _PARTS}
    if unknown:
        raise MaterialsError(
            f"{folder / 'trials.csv'} has sheets of {', '.join(sorted(unknown))}, which were not released. Methods are: "
            f"{', '.join(METHODS)}. Use the released sheets unchanged."
        )
    if len(trials) != N_TRIALS:
        raise MaterialsError(
            f"The sheets of Hase and Bansal (2020) have {N_TRIALS} {domain} trials, {folder / 'trials.csv'} has "
            f"{len(trials)}. Use the released sheets unchanged."
        )
    learning = [row for row in trials if row["method"] == "blackbox"]
    rows: list[tuple[Part, Row]] = [("learning", row) for row in learning]
    rows += [("forward", row) for row in master if row["test"] == "forward"]
    rows += [("counterfactual", row) for row in master if row["test"] == "counterfactual"]
    items = tuple(_item(number, part, row, domain) for number, (part, row) in enumerate(rows))
    places = {(item.part, item.item_id): item.row for item in items}
    # Checked as a whole, because an edited sheet would silently change a replication.
    faults = [*_unbalanced(items), *_unlike(trials, rows, domain)]
    if faults:
        raise MaterialsError(" ".join([*faults, "Use the released sheets unchanged."]))
    texts = {
        (row["method"], places[_part(row), row["id"]]): _texts(row)
        for row in trials
        if row["explanation"] or row["explanation_a"]
    }
    return Stimuli(domain, items, texts, trials)


def rows_in(path: Path) -> list[dict[str, str]]:
    """Read a table of text."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError):
        raise MaterialsError(
            f"The stimuli of Hase and Bansal (2020) cannot be read from {path}. Put master.csv and trials.csv there, or "
            "set UNDERSTUDY_DATA to the folder that holds simulatability-stimuli."
        ) from None
    absent = [name for name in COLUMNS[path.name] if not rows or name not in rows[0]]
    if absent:
        raise MaterialsError(f"{path} has no column {', '.join(absent)}. Use the released sheets unchanged.")
    return rows


def _item(number: int, part: Part, row: Row, domain: Domain) -> Item:
    content = content_from_text(row["context"], domain)
    label, prediction = (label_from_text(row[name], domain) for name in ("label", "model"))
    if part != "counterfactual":
        return Item(number, row["id"], part, content, label, prediction)
    edited = edited_from_text(content, row["perturbation"], domain)
    n_edits = row["perturbation"].count(" --> ") or row["perturbation"].count("**") // 2
    edit = Edit(label_from_text(row["perturbation_model"], domain), n_edits)
    return Item(number, row["id"], part, {"original": content, "edited": edited}, label, prediction, edit)


def _texts(row: Row) -> tuple[str, ...]:
    return (row["explanation"],) if row["explanation"] else (row["explanation_a"], row["explanation_b"])


def _part(row: Row) -> Part:
    return _PARTS[row["test"], row["phase"]]


def _unbalanced(items: tuple[Item, ...]) -> list[str]:
    """Say which of the four cells, or same and changed within them, are not equally large."""
    faults = []
    for part, n in PER_CELL.items():
        here = [item for item in items if item.part == part]
        cells = Counter((item.label, item.prediction) for item in here)
        if sorted(cells.values()) != [n] * 4:
            faults.append(f"The {part} items are not {n} of each label and prediction, but {sorted(cells.values())}.")
        if part == "counterfactual":
            halves = Counter((item.label, item.prediction, item.keeps) for item in here)
            if sorted(halves.values()) != [n // 2] * 8:
                faults.append(
                    f"The edits do not keep the prediction in half of each cell, but {sorted(halves.values())}."
                )
    return faults


def _unlike(trials: tuple[Row, ...], rows: list[tuple[Part, Row]], domain: Domain) -> list[str]:
    """Say which sheets do not show exactly the items of the master sheet."""
    master = {(part, row["id"]): row for part, row in rows}
    sheets: dict[tuple[str, str, str], list[Row]] = {}
    for row in trials:
        sheets.setdefault((row["test"], row["phase"], row["method"]), []).append(row)
    faults = []
    for (test, phase, method), sheet in sheets.items():
        wanted = sorted(item_id for part, item_id in master if part == _PARTS[test, phase])
        is_same = sorted(row["id"] for row in sheet) == wanted and all(
            row[name] in ("", master[_part(row), row["id"]][name])
            for row in sheet
            for name in ("context", "label", "model", "perturbation")
        )
        if not is_same:
            faults.append(f"The {domain} sheet {test} {phase} {method} shows other items than the master.")
    return faults


# Validity sheets: six more, in which explanations are next to items that they are not about. They are refused.


def matching_rows(folder: Path) -> dict[str, tuple[int, int]]:
    """Return, for each validity sheet, how many rows of its own method carry the item's explanation, and of how many."""
    right = {
        (row["method"], row["id"]): _explanation(row)
        for row in rows_in(folder / "trials.csv")
        if (row["domain"], row["test"], row["phase"]) == ("tabular", "counterfactual", "post")
    }
    counts: dict[str, tuple[int, int]] = {}
    for row in rows_in(folder / "validity.csv"):
        name = row["condition_file"]
        if row["method"] != name:
            continue
        n_right, n = counts.get(name, (0, 0))
        counts[name] = (n_right + (_plain(row["explanation"]) == right[name, row["id"]]), n + 1)
    return counts


def refuse_validity(folder: Path) -> None:
    """Refuse these sheets, with the counts that show why they cannot be used."""
    counts = matching_rows(folder)
    shares = ", ".join(f"{n_right} of {n} in {name}" for name, (n_right, n) in sorted(counts.items()))
    raise MaterialsError(
        f"The {len(counts)} validity sheets are misaligned: explanations were copied by position from shuffled sheets, so "
        f"that rows carry the explanation of their own item only by chance ({shares}). Use learning, forward or "
        "counterfactual."
    )


def _explanation(row: Row) -> str:
    return _plain(row["explanation"] or "\n----\n".join((row["explanation_a"], row["explanation_b"])))


def _plain(text: str) -> str:
    return " ".join(text.split())
