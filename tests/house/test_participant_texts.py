"""The list of what participants read: complete, up to date, and easy enough to read."""

import csv
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "participant_texts.py"))


@pytest.fixture(scope="module")
def texts(script: dict[str, Any]) -> list[Any]:
    return list(script["all_texts"]())


def test_the_list_has_every_text_of_the_pages_and_studies(texts: list[Any]) -> None:
    with (DOCS / "participant-texts.csv").open(encoding="utf-8", newline="") as file:
        listed = [(row["source"], row["language"], row["text"]) for row in csv.DictReader(file)]
    assert listed == [(text.source, text.language, text.words) for text in texts], (
        "run: python docs/participant_texts.py"
    )


def test_no_long_text_needs_more_than_eight_years_of_school(script: dict[str, Any], texts: list[Any]) -> None:
    long = [text for text in texts if len(text.words.split()) >= script["LONG"]]
    assert len(long) > 30
    assert [text.words for text in long if script["grade"](text.words, text.language) > script["HIGHEST_GRADE"]] == []


def test_long_words_and_long_sentences_raise_the_grade(script: dict[str, Any]) -> None:
    easy, hard = (
        "The cat sat on the mat. It was warm.",
        "Interpretability necessitates considerable institutional deliberation.",
    )
    assert script["grade"](easy, "en") < 3 < 12 < script["grade"](hard, "en")
    assert script["grade"]("Die Katze schläft. Sie ist warm.", "de") < script["grade"](
        "Nachvollziehbarkeitsanforderungen verkomplizieren Entscheidungsprozesse.", "de"
    )
