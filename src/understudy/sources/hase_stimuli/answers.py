"""Answers typed into the sheets of Hase and Bansal (2020): read as their analysis did, and read strictly.

Their analysis took the first of a list of words within two letters of what was typed, so that some answers were counted as
another and some were lost. `recoded_as_published` repeats that, for comparison; `recoded` accepts only what is meant.
"""

from typing import NamedTuple

PUBLISHED_WORDS = (
    "pos", "neg", "positive", "negative", "above", "below", "abo", "bel",
    "above $50K", "below $50K", "above $50k", "below $50k",
)  # fmt: skip
"""The words of the published analysis, in its order, which decides where two are equally near."""
MOST_LETTERS = 2
_MEANINGS = {"pos": "pos", "neg": "neg", "abo": "above", "bel": "below"}
"""First three letters -> the answer that is meant."""


class RecodedAnswer(NamedTuple):
    """What somebody typed, and what either reading makes of it; None for missing."""

    typed: str
    as_published: str | None
    strictly: str | None


def recoded_as_published(typed: str) -> str | None:
    """Return the answer that the published analysis counted: the first word within two letters, small letters only."""
    return next((_MEANINGS[word[:3]] for word in PUBLISHED_WORDS if _distance(typed, word) <= MOST_LETTERS), None)


def recoded(typed: str) -> str | None:
    """Return the answer that is meant, whatever its capitals; None for anything but one of the words."""
    plain = " ".join(typed.lower().split())
    return _MEANINGS[plain[:3]] if plain in {word.lower() for word in PUBLISHED_WORDS} else None


def recode_table(typed: tuple[str, ...]) -> tuple[RecodedAnswer, ...]:
    """Return both readings of each answer."""
    return tuple(RecodedAnswer(cell, recoded_as_published(cell), recoded(cell)) for cell in typed)


def _distance(left: str, right: str) -> int:
    """Return Levenshtein's distance: how many letters to add, drop or replace."""
    row = list(range(len(right) + 1))
    for number, letter in enumerate(left, start=1):
        previous, row[0] = row[0], number
        for place, other in enumerate(right, start=1):
            previous, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, previous + (letter != other))
    return row[-1]
