"""The page of concept tests is what its stored results say."""

import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    written = importlib.import_module("concept_results").written()
    assert (DOCS / "concept-results.md").read_text(encoding="utf-8") == written, "stale: run docs/concept_results.py"


def test_the_page_on_intensity_normalisation_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    script = importlib.import_module("intensity_variations")
    page = (DOCS / "intensity-normalization.md").read_text(encoding="utf-8")
    assert page == script.page(script.kept_rows()), "stale: run docs/intensity_variations.py"
