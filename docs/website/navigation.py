"""Navigation: the tabs and menus of the site, read from the headings and links of docs/index.md."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from website.pages import ROOT, address_of, site_pages

TABS: Mapping[str, tuple[str, ...]] = {
    "Tutorials": ("Tutorials",),
    "How-to": (
        "Plan a study", "Run a study", "Analyse and report", "Use a protocol", "Bring your own model", "Extend understudy"
    ),
    "Protocols": ("Protocols",),
    "Gallery": ("Screens and texts",),
    "Reference": ("Reference",),
    "Background": ("Background",),
    "Results": ("Results",),
    "Contribute": ("Contribute", "Design decisions"),
}  # fmt: skip
"""Tab -> headings of docs/index.md. The rest of that page is the start page's own text."""


class Entry(NamedTuple):
    """One page in a menu."""

    title: str
    address: str


def menus(index: str) -> dict[str, list[Entry]]:
    """Return the pages listed under each heading of the index, in their order."""
    found: dict[str, list[Entry]] = {}
    heading = ""
    for line in index.splitlines():
        if title := re.fullmatch(r"#{2,3} (.+)", line):
            heading = title[1]
        elif item := re.match(r"- \[([^\]]+)\]\(([^)#]+)\)", line):
            address = address_of(ROOT / "docs" / item[2])
            if address is not None:
                found.setdefault(heading, []).append(Entry(item[1], address))
    return found


def navigation() -> list[dict[str, object]]:
    """Return the navigation as the site builder wants it: titles with a page or with more of the same."""
    index = site_pages()["index.md"].read_text(encoding="utf-8")
    listed = menus(index)
    there = site_pages()
    tabs: list[dict[str, object]] = [{"Start": "index.md"}]
    for tab, headings in TABS.items():
        # A page that is listed before it is written fails a test, and must not keep the site from being built.
        groups = {
            heading: [{entry.title: entry.address} for entry in listed.get(heading, []) if entry.address in there]
            for heading in headings
        }
        first, *more = groups
        # A tab with one heading needs no inner menu; in one with several, the first page of all opens with the tab.
        inner: list[object] = [*groups[first]] if not more else [{heading: pages} for heading, pages in groups.items()]
        tabs.append({tab: inner})
    return tabs
