"""The page of trained models says what cards and stored runs say, and has its figures."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "trained_models.py"))


def test_the_page_of_trained_models_is_fresh(script: dict[str, Any]) -> None:
    assert (DOCS / "trained-models.md").read_text(encoding="utf-8") == script["page"](), "stale: run `make docs`"


def test_every_figure_on_the_page_is_there() -> None:
    named = re.findall(r"\((models/[^)]+)\)", (DOCS / "trained-models.md").read_text(encoding="utf-8"))
    assert len(named) == 3
    assert all((DOCS / one).is_file() for one in named)


def test_no_run_is_listed_twice(script: dict[str, Any]) -> None:
    runs = [(run.model, run.data, run.seed, run.device == script["ON_CPU"]) for run in script["all_runs"]()]
    assert len(runs) == len(set(runs))
