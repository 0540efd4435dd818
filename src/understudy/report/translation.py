"""A written page in another language, with its numbers, figures and the researchers' own words as they are."""

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple

from understudy.errors import UnknownName
from understudy.report.phrasebook import LANGUAGES, phrasebook

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
