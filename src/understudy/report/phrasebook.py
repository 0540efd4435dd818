"""Phrases of a page in another language: whole sentences, with slots for numbers and names."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

_SLOT: Final = re.compile(r"\{(\w+)\}")
_ENDS: Final = (re.compile(r"(?<=[.!?]) (?=[A-Z0-9−])"), re.compile(r"(?<=[:;]) "))
"""Where a text can be taken apart: between sentences first, then between the parts of one."""
_HAS_WORD: Final = re.compile(r"(?!\b[A-Z]{3} \d)[^\W\d_]{3}")
"""Three letters in a row; symbols such as p, SD or CI and amounts of money are the same in every language."""
_NUMBER: Final = r"[−\d][\d.,%]*"
_KINDS: Final = {
    **dict.fromkeys(("n", "k", "r", "value", "level", "some", "all", "came", "out", "quota"), _NUMBER),
    "interval": r"[\[(][^\])]+[\])]",
}
"""What slots of these names hold; the others hold words."""
_WORDS: Final = r"(?:(?![.!?] [A-Z]).)+?"
"""No slot holds the end of a sentence."""

_FEW: Final = 8
"""Characters below which the words of a pattern, such as "{first} and {second}", could be found in any sentence."""

LANGUAGES: Final = {"de": "German"}
"""What a report can be translated to; it is written in English first."""


class Phrasebook:
    """Sentences in English, each with its translation; a slot such as {n} holds a number, a name or another phrase.

    >>> book = Phrasebook({"{n} people came.": "{n} Personen kamen.", "None": "Keine"})
    >>> book("12 people came. None"), book("t(8) = 2.31"), book("Unknown words")
    ('12 Personen kamen. Keine', 't(8) = 2.31', None)
    """

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._exact = {english: other for english, other in phrases.items() if not _SLOT.search(english)}
        slotted = [english for english in phrases if english not in self._exact]
        # The pattern with the most words of its own wins: it says most about the sentence.
        slotted.sort(key=lambda english: -len(_SLOT.sub("", english)))
        self._patterns = [(_pattern(english), phrases[english]) for english in slotted]
        self._known: dict[str, str | None] = {}

    def __call__(self, text: str) -> str | None:
        """Return the translation of one or several sentences; none when any of them is not in the book."""
        text = " ".join(text.split())
        if text not in self._known:
            self._known[text] = self._translated(text)
        return self._known[text]

    def _translated(self, text: str) -> str | None:
        if text in self._exact:
            return self._exact[text]
        if not _HAS_WORD.search(text):
            return text
        for pattern, other in self._patterns:
            if (found := pattern.fullmatch(text)) and (slots := self._filled(found)) is not None:
                return other.format(**slots)
        if text[-1] in ".;:" and (core := self(text[:-1])) is not None:
            return core + text[-1]
        for end in _ENDS:
            parts = [self(part) for part in pieces] if len(pieces := end.split(text)) > 1 else [None]
            whole = [part for part in parts if part is not None]
            if len(whole) == len(parts):
                return " ".join(whole)
        return None

    def _filled(self, found: re.Match[str]) -> dict[str, str] | None:
        """Return what fills the slots, each translated; a slot that holds a name stays as it is.

        None when a pattern with few words of its own took a piece of another sentence for a name.
        """
        values = found.groupdict()
        slots = {name: self(value) for name, value in values.items()}
        n_own = len(found[0]) - sum(len(value) for value in values.values())
        if n_own < _FEW and any(slots[name] is None and " " in value for name, value in values.items()):
            return None
        return {name: slots[name] or value for name, value in values.items()}


def _pattern(english: str) -> re.Pattern[str]:
    """Return what matches a sentence with slots."""
    parts = _SLOT.split(english)
    texts = [
        re.escape(part) if k % 2 == 0 else f"(?P<{part}>{_KINDS.get(part, _WORDS)})" for k, part in enumerate(parts)
    ]
    return re.compile("".join(texts))


@cache
def phrasebook(language: str) -> Phrasebook:
    """Return the phrases of one of LANGUAGES."""
    text = files("understudy.report").joinpath("languages", f"{language}.toml").read_text(encoding="utf-8")
    tables: Mapping[str, Mapping[str, str]] = tomllib.loads(text)
    return Phrasebook({english: other for table in tables.values() for english, other in table.items()})
