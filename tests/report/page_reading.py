"""Reads a page as a person or a program would: its text, its tags, the addresses it loads."""

from html.parser import HTMLParser

_UNSEEN = {"style", "script", "title", "svg"}


class PageReader(HTMLParser):
    """Collects the text outside drawings, and every start tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.lines: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in _UNSEEN:
            self._inside.append(tag)
        if tag in {"p", "h1", "h2", "h3", "h4", "li", "tr", "dt", "caption", "figcaption", "summary"}:
            self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN and self._inside:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        words = " ".join(data.split())
        if words and not self._inside and self.lines:
            self.lines[-1] = f"{self.lines[-1]} {words}".strip()


def reader_of(html: str) -> PageReader:
    reader = PageReader()
    reader.feed(html)
    return reader


def text_of(html: str) -> str:
    return "\n".join(line for line in reader_of(html).lines if line)


def part_of(html: str, anchor: str, tag: str) -> str:
    start = html.index(f'id="{anchor}"')
    return "<p " + html[start : html.index(f"</{tag}>", start)]
