"""The page on models with maps says what the cards of the shipped models say."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_models_with_maps_is_fresh() -> None:
    script = runpy.run_path(str(DOCS / "hive_models.py"))
    assert (DOCS / "hive-models.md").read_text(encoding="utf-8") == script["page"](), "stale: run `make docs`"
