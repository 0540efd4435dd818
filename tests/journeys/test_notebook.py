"""The notebook in examples runs from top to bottom and shows the picture."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from understudy.probe.picture import ProbeWidget
from understudy.schema import Verdicts

NOTEBOOK = Path(__file__).parents[2] / "examples" / "concept-test.ipynb"


@pytest.mark.filterwarnings("default")
def test_the_notebook_runs_and_shows_the_widget(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    cells = {cell["id"]: cell.get("outputs", []) for cell in notebook.cells}
    [said] = cells["run"]
    [shown] = cells["picture"]
    [alpha] = cells["alpha"]
    assert "useful to the model" in said["data"]["text/plain"]
    state = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    model = state[shown["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]]["state"]
    assert Verdicts.model_validate(model["verdicts"]).concept == "rotation"
    assert model["_esm"] == ProbeWidget._esm
    assert alpha["data"]["text/plain"] == "0.05"
