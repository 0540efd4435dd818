"""Notice pages: what people read when there is nothing else to show."""

from html import escape
from typing import NamedTuple

from starlette.responses import HTMLResponse

STYLE = "notice.css"
"""The one file of the front end whose name never changes; the pages read well without it, too."""


class Link(NamedTuple):
    """A link to another page."""

    address: str
    label: str


def notice_page(status: int, title: str, sentence: str, *, link: Link | None = None) -> HTMLResponse:
    """Return a page with one sentence; it needs no script, and no style to be read."""
    on = _button(link) if link else ""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="/static/{STYLE}"></head><body><main class="notice-page">'
        f'<div class="card message"><h1>{escape(title)}</h1><p class="lead">{escape(sentence)}</p>{on}'
        "</div></main></body></html>",
        status_code=status,
        headers={"Cache-Control": "no-store"},
    )


def with_way_back(page: bytes, link: Link) -> bytes:
    """Return a whole page, such as a report, with one link before all that is in it."""
    on = f'<nav style="padding:1rem"><a href="{escape(link.address)}">{escape(link.label)}</a></nav>'
    return page.replace(b"<body>", b"<body>" + on.encode(), 1)


def not_found() -> HTMLResponse:
    """Say that there is nothing here."""
    return notice_page(
        404, "There is nothing here", "Please check the link you were given, or ask the person who sent it to you."
    )


def _button(link: Link) -> str:
    return f'<p class="actions"><a class="button primary" href="{escape(link.address)}">{escape(link.label)}</a></p>'
