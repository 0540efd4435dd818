"""Notebooks: each file in notebooks/ becomes a Jupyter notebook, which `marimo convert` turns into one of marimo.

A source is a script in the percent format that editors know: `# %%` begins a cell of code, `# %% [markdown]` one of text.
"""

import json
import re
import sys
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "notebooks"
JUPYTER = SOURCES / "jupyter"

_CELL = re.compile(r"^# %%(?P<text> \[markdown\])?\n", re.MULTILINE)


class Cell(NamedTuple):
    """One cell: text in Markdown, or code."""

    kind: Literal["markdown", "code"]
    source: str


def sources() -> list[Path]:
    """Return the notebooks as they are written."""
    return sorted(SOURCES.glob("*.py"))


def cells_of(source: Path) -> list[Cell]:
    """Read the cells of a notebook."""
    text = source.read_text(encoding="utf-8")
    starts = list(_CELL.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    return [
        _text_cell(text[start.end() : end]) if start["text"] else Cell("code", text[start.end() : end].strip())
        for start, end in zip(starts, ends, strict=True)
    ]


def _text_cell(commented: str) -> Cell:
    lines = [line.removeprefix("#").removeprefix(" ") for line in commented.strip().splitlines()]
    return Cell("markdown", "\n".join(lines))


def jupyter_text(cells: list[Cell]) -> str:
    """Return a notebook of Jupyter, without outputs."""
    plain: list[dict[str, object]] = [
        {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": {},
            **({"execution_count": None, "outputs": []} if cell.kind == "code" else {}),
            "source": cell.source.splitlines(keepends=True),
        }
        for number, cell in enumerate(cells, start=1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": plain, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def forms() -> dict[Path, str]:
    """Return every file that follows from the sources, with its text."""
    return {JUPYTER / f"{source.stem}.ipynb": jupyter_text(cells_of(source)) for source in sources()}


def main() -> int:
    """Write the Jupyter notebook of every source."""
    for path, text in forms().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"Wrote {path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
