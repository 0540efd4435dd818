"""Validity sheets: six more, in which explanations are next to items that they are not about. They are refused."""

from pathlib import Path

from understudy.errors import MaterialsError
from understudy.sources.hase_stimuli.sheets import Row, rows_in


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
