"""The page on the classifiers says what their cards say, and the models are as good as the published ones."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
KEPT = json.loads((DOCS / "simulatability-models.json").read_text(encoding="utf-8"))
RUNS = KEPT["runs"]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "simulatability_models.py"))


def test_the_page_is_fresh(script: dict[str, Any]) -> None:
    assert (DOCS / "simulatability-models.md").read_text(encoding="utf-8") == script["page_from_runs"](KEPT)


@pytest.mark.parametrize("name", ["adult-mlp", "adult-prototypes", "polarity-lstm", "polarity-prototypes"])
def test_a_model_of_the_paper_is_as_right_as_the_published_one(name: str, script: dict[str, Any]) -> None:
    run = next(one for one in RUNS if (one["name"], one["split"]) == (name, "paper"))
    allowed = script["ALLOWED"][run["cases"]]
    assert 100 * run["accuracy"]["test"] == pytest.approx(script["PUBLISHED"][name], abs=allowed)


@pytest.mark.parametrize("name", ["adult-mlp", "adult-prototypes", "polarity-lstm", "polarity-prototypes"])
def test_every_model_of_the_paper_was_trained_without_leaks_too(name: str) -> None:
    assert (name, "leak_free") in {(run["name"], run["split"]) for run in RUNS}


def test_a_model_that_is_too_far_off_is_called_so(script: dict[str, Any]) -> None:
    far = [run | {"accuracy": run["accuracy"] | {"test": 0.5}} for run in RUNS]
    assert "**not within** 1.5" in script["page_from_runs"](KEPT | {"runs": far})
