"""The notebooks run from top to bottom in Jupyter and in marimo, and show tables, figures and widgets."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NAMES = ("does-my-explanation-help", "read-my-results", "what-does-my-model-rely-on")
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def notebook_forms() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs"))
        return importlib.import_module("notebook_forms")


def test_the_jupyter_notebooks_follow_from_their_sources(notebook_forms: ModuleType) -> None:
    forms: dict[Path, str] = notebook_forms.forms()
    assert [path.stem for path in notebook_forms.sources()] == [*NAMES]
    stale = [path.name for path, text in forms.items() if not path.is_file() or path.read_text("utf-8") != text]
    assert stale == [], "run: python docs/notebook_forms.py"


def test_notebooks_use_public_names_only(notebook_forms: ModuleType) -> None:
    code = [cell.source for path in notebook_forms.sources() for cell in notebook_forms.cells_of(path)]
    assert [source for source in code if "from understudy" in source or "import understudy." in source] == []


def shown_in(notebook: Any) -> list[dict[str, Any]]:
    """Return what each cell of code shows last, as data by its type."""
    return [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] in ("execute_result", "display_data")
    ]


def results_of(notebook: Any) -> list[dict[str, Any]]:
    """Return the value of each cell's last line."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output["data"] for output in outputs if output["output_type"] == "execute_result"]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_in_jupyter(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / "jupyter" / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = shown_in(notebook)
    assert [data for data in shown if "<table" in data.get("text/html", "")]
    assert [data for data in shown if "image/svg+xml" in data]
    assert len([data for data in shown if WIDGET in data]) == (2 if name == NAMES[0] else 0)
    # What progress leaves behind is empty, and a result is shown once, with a text form.
    displayed = [part["data"] for cell in notebook.cells for part in cell.get("outputs", []) if "data" in part]
    pieces = [data for data in displayed if data.get("text/plain") and data not in results_of(notebook)]
    assert pieces == []
    assert all(data.get("text/plain", "x") for data in results_of(notebook))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_in_marimo(name: str, tmp_path: Path) -> None:
    source, path, page = (
        ROOT / "notebooks" / "jupyter" / f"{name}.ipynb",
        tmp_path / "notebook.py",
        tmp_path / "page.html",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for words in (
        ["convert", str(source), "-o", str(path)],
        ["export", "html", str(path), "-o", str(page), "--no-sandbox"],
    ):
        command = [sys.executable, "-m", "marimo", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text(encoding="utf-8")
    assert "image/svg+xml" in text
    assert "marimo-error" not in text
