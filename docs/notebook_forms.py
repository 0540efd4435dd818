"""Notebooks in their two forms: each file in notebooks/ becomes a Jupyter notebook and a marimo notebook.

A source is a script in the percent format that editors know: `# %%` begins a cell of code, `# %% [markdown]` one of text.
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "notebooks"
JUPYTER = SOURCES / "jupyter"
MARIMO = SOURCES / "marimo"
MARIMO_VERSION = "0.25.2"

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


def marimo_text(cells: list[Cell]) -> str:
    """Return a notebook of marimo: a function for each cell, with what it takes and what it makes."""
    made = {name for cell in cells if cell.kind == "code" for name in _made_in(cell.source)}
    parts = [_marimo_cell(cell, made | {"mo"}) for cell in cells]
    first = "@app.cell(hide_code=True)\ndef _():\n    import marimo as mo\n\n    return (mo,)"
    head = f'import marimo\n\n__generated_with = "{MARIMO_VERSION}"\napp = marimo.App()'
    last = 'if __name__ == "__main__":\n    app.run()\n'
    return "\n\n\n".join([head, first, *parts, last])


def _marimo_cell(cell: Cell, known: set[str]) -> str:
    if cell.kind == "markdown":
        text = cell.source.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        return f'@app.cell(hide_code=True)\ndef _(mo):\n    mo.md("""\n{_indented(text)}\n    """)\n    return'
    made = sorted(_made_in(cell.source))
    taken = sorted((_names_in(cell.source) & known) - set(made))
    back = f"return {', '.join(made)}{',' if len(made) == 1 else ''}" if made else "return"
    body = _indented(cell.source)
    return f"@app.cell\ndef _({', '.join(taken)}):\n{body}\n    {back if len(made) != 1 else f'return ({made[0]},)'}"


def _indented(text: str) -> str:
    # Lines inside a text of several lines must stay where they are.
    inside = {
        number
        for node in ast.walk(_parsed(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for number in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
    }
    lines = text.splitlines()
    return "\n".join(f"    {line}" if line and number not in inside else line for number, line in enumerate(lines, 1))


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])  # prose


def _made_in(code: str) -> set[str]:
    """Return the names that a cell defines for others."""
    names: set[str] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _names_in(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def forms() -> dict[Path, str]:
    """Return every file that follows from the sources, with its text."""
    found: dict[Path, str] = {}
    for source in sources():
        cells = cells_of(source)
        found[JUPYTER / f"{source.stem}.ipynb"] = jupyter_text(cells)
        found[MARIMO / f"{source.stem.replace('-', '_')}.py"] = marimo_text(cells)
    return found


def main() -> int:
    """Write both forms of every notebook."""
    for path, text in forms().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"Wrote {path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
