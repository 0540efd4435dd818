"""A written page in another language, with its numbers, figures and the researchers' own words as they are."""

import html
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from understudy.errors import UnknownName

# Phrases of a page in another language: whole sentences, with slots for numbers and names.

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


_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_VERBATIM: Final = frozenset({"script", "style", "pre", "code"})
_SPOKEN: Final = re.compile(r'( (?:aria-label|aria-description|title|alt)=")([^"]*)(")')
_PLAIN_TEXT: Final = frozenset({"title", "text", "tspan", "desc"})
"""Elements that hold no other element, so that a foreign sentence in them cannot be marked."""


class Translated(NamedTuple):
    """The page, and the sentences that stayed in English, each once."""

    page: str
    untranslated: tuple[str, ...]


def translated(page: str, language: str) -> Translated:
    """Return a report page in another language.

    Elements marked translate="no" hold the study's own words and stay as they are, as do code and numbers. A sentence
    that the phrasebook does not hold stays in English and is marked as English for screen readers.

    >>> found = translated('<html lang="en"><h2>Hypotheses</h2><p>Nobody knows.</p></html>', "de")
    >>> found.page
    '<html lang="de"><h2>Hypothesen</h2><p><span lang="en">Nobody knows.</span></p></html>'
    >>> found.untranslated
    ('Nobody knows.',)
    """
    writer = _Writer(phrasebook(language), language)
    writer.feed(page)
    writer.close()
    return Translated("".join(writer.written), tuple(dict.fromkeys(writer.untranslated)))


def check_language(language: str) -> None:
    """Refuse a language that has no phrasebook."""
    if language not in LANGUAGES:
        allowed = ", ".join(f"{code} for {name}" for code, name in LANGUAGES.items())
        raise UnknownName(
            f"A report cannot be written in {language!r}. Choose {allowed}, or leave the language out for English."
        )


def write_translated(page: Path, language: str) -> Path:
    """Write a report page in another language next to it, such as report.de.html, and return the new path."""
    check_language(language)
    other = page.with_suffix(f".{language}.html")
    other.write_text(translated(page.read_text(encoding="utf-8"), language).page, encoding="utf-8")
    return other


class _Writer(HTMLParser):
    """Copies a page piece by piece and translates what a person reads or hears."""

    def __init__(self, book: Callable[[str], str | None], language: str) -> None:
        super().__init__(convert_charrefs=False)
        self.written: list[str] = []
        self.untranslated: list[str] = []
        self._book = book
        self._language = language
        self._text = ""
        self._open: list[tuple[str, bool]] = []
        """The elements around, and whether the words in each are translated."""

    @property
    def _is_translated(self) -> bool:
        return not self._open or self._open[-1][1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._write_text()
        raw = self.get_starttag_text() or ""
        is_translated = self._is_translated and tag not in _VERBATIM and ("translate", "no") not in attrs
        if tag == "html":
            raw = raw.replace('lang="en"', f'lang="{self._language}"')
        self.written.append(_SPOKEN.sub(self._spoken, raw) if is_translated else raw)
        if tag not in _VOID and not raw.endswith("/>"):
            self._open.append((tag, is_translated))

    def handle_endtag(self, tag: str) -> None:
        self._write_text()
        self.written.append(f"</{tag}>")
        if any(name == tag for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_entityref(self, name: str) -> None:
        self._text += f"&{name};"

    def handle_charref(self, name: str) -> None:
        self._text += f"&#{name};"

    def handle_comment(self, data: str) -> None:
        self._write_text()
        self.written.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._write_text()
        self.written.append(f"<!{decl}>")

    def close(self) -> None:
        super().close()
        self._write_text()

    def _write_text(self) -> None:
        text, self._text = self._text, ""
        if not self._is_translated or not text.strip():
            self.written.append(text)
            return
        found = self._found(html.unescape(text.strip()))
        if found is not None:
            words = html.escape(found, quote=False)
        elif self._open and self._open[-1][0] in _PLAIN_TEXT:
            words = text.strip()
        else:
            words = f'<span lang="en">{text.strip()}</span>'
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        self.written += [before, words, after]

    def _spoken(self, attribute: re.Match[str]) -> str:
        before, value, after = attribute.groups()
        found = self._found(html.unescape(value))
        return f"{before}{value if found is None else html.escape(found)}{after}"

    def _found(self, text: str) -> str | None:
        found = self._book(text)
        if found is None:
            self.untranslated.append(" ".join(text.split()))
        return found
