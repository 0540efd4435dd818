"""Typed answers: the published reading with its faults, and the strict one without them."""

import re
from pathlib import Path

import pytest

from understudy.sources.hase_stimuli import PUBLISHED_WORDS, recode_table, recoded, recoded_as_published

FAULTS = {
    "bel": "neg", "Bel": "neg", "be": "neg", "b": "above", "no": "pos", "yes": "pos",
    "NEG": None, "POS": None, "BELOW": None, "ABOVE": None,
}  # fmt: skip
"""What the published rule makes of these, as found with its code."""


@pytest.mark.parametrize(("typed", "counted"), FAULTS.items())
def test_the_published_reading_has_its_faults(typed: str, counted: str | None) -> None:
    assert recoded_as_published(typed) == counted


@pytest.mark.parametrize("word", ["pos", "neg", "positive", "negative", "above $50K", "below $50k"])
def test_both_readings_agree_on_words_written_out(word: str) -> None:
    assert recoded_as_published(word) == recoded(word) == {"p": "pos", "n": "neg", "a": "above", "b": "below"}[word[0]]


@pytest.mark.parametrize("typed", ["be", "b", "no", "yes", "", "posneg"])
def test_the_strict_reading_guesses_nothing(typed: str) -> None:
    assert recoded(typed) is None


def test_the_strict_reading_takes_every_word_in_any_capitals() -> None:
    assert all(recoded(f"  {word.upper()} ") for word in PUBLISHED_WORDS)


def test_a_table_shows_both_readings() -> None:
    [row] = recode_table(("Bel",))
    assert row == ("Bel", "neg", "below")


def test_the_table_of_the_how_to_page_is_what_both_readings_give() -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "simulatability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| (\w+) \| (\w+) \|$", page.partition("| typed |")[2], flags=re.MULTILINE)
    assert {*FAULTS} <= {typed for typed, *_ in rows}
    for typed, *both in rows:
        [read] = recode_table((typed,))
        assert both == [read.as_published or "missing", read.strictly or "missing"]
