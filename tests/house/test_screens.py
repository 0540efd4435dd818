"""The page of screens: every picture is there, every file is shown, and nothing is heavy."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "screens.md").read_text(encoding="utf-8")
FILES = sorted((DOCS / "screens").iterdir())
MOST_BYTES = 3_700_000


def test_every_picture_of_the_page_exists_and_every_file_is_shown() -> None:
    shown = re.findall(r"^!\[.+\]\(screens/(.+)\)$", PAGE, re.MULTILINE)
    assert sorted(shown) == [path.name for path in FILES]


def test_the_page_is_what_the_captions_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    assert importlib.import_module("tour.album").page_text() == PAGE, "stale: run `make screenshots`"


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < MOST_BYTES
