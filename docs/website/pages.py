"""Pages: the Markdown files that the site shows, their addresses in it, and their text as the site builder reads it."""

import os
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MOVED = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "GLOSSARY.md": "glossary.md",
    "examples/reanalyses/README.md": "reanalyses.md",
}
"""Pages that live outside docs/, because people look for them there: path in the repository -> path in the site."""
UNSEARCHED = (
    "project/changelog.md",
    "spoken-pages.md",
    "benchmarks.md",
    "before-and-after.md",
    "style.md",
    "decisions/",
)
"""Pages, or the folder of pages, that would come first in many searches and do not help a newcomer."""
PICTURES = (".png", ".svg")

_FENCE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_TAB = re.compile(r"^\*\*(Command line|Python)\*\*\n\n(```.*?^```)\n", re.MULTILINE | re.DOTALL)
_TABS = re.compile(rf"(?:{_TAB.pattern.replace('(', '(?:')}\n?){{2,}}", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


class Link(NamedTuple):
    """One link or picture of a page, as written."""

    is_picture: bool
    text: str
    target: str


def site_pages(root: Path = ROOT) -> dict[str, Path]:
    """Return the Markdown file of every page by its path in the site."""
    inside = {path.relative_to(root / "docs").as_posix(): path for path in sorted((root / "docs").rglob("*.md"))}
    return inside | {address: root / path for path, address in MOVED.items()}


def address_of(path: Path, root: Path = ROOT) -> str | None:
    """Return where the site has a file of the repository; None for files that it does not show."""
    within = path.resolve().relative_to(root).as_posix()
    return MOVED.get(within, within.removeprefix("docs/") if within.startswith("docs/") else None)


def pictures(root: Path = ROOT) -> list[Path]:
    """Return every picture under docs/."""
    return sorted(path for path in (root / "docs").rglob("*") if path.suffix in PICTURES)


def links(text: str) -> list[Link]:
    """Return the links and pictures of a page that lead to files, leaving out code and other sites."""
    found = [Link(bool(mark), words, target) for mark, words, target in _LINK.findall(_FENCE.sub("", text))]
    return [link for link in found if not re.match(r"[a-z]+:", link.target)]


def text_for_site(address: str, root: Path = ROOT) -> str:
    """Return a page with the links and fences that the site builder understands."""
    source = site_pages(root)[address]
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', text, flags=re.MULTILINE)
    text = tabbed(spaced_lists(text))
    whole = re.compile(rf"(?P<code>{_FENCE.pattern})|{_LINK.pattern}", re.MULTILINE | re.DOTALL)

    def rewritten(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        mark, words, target = found.group(2, 3, 4)
        return found[0] if re.match(r"[a-z]+:|#", target) else _link(Link(bool(mark), words, target), source, root)

    head = "---\nsearch:\n  exclude: true\n---\n\n" if address.startswith(UNSEARCHED) else ""
    return head + whole.sub(rewritten, text)


def _link(link: Link, source: Path, root: Path) -> str:
    path, _, anchor = link.target.partition("#")
    goal = (source.parent / path).resolve()
    address = address_of(goal, root)
    if address is None:
        # The site has no copy of source files, so it names them instead of linking to nothing.
        return f"{link.text} (`{goal.relative_to(root).as_posix()}` in the repository)"
    here = Path(address_of(source, root) or "")
    new = os.path.relpath(address, here.parent.as_posix()).replace(os.sep, "/")
    return f"{'!' if link.is_picture else ''}[{link.text}]({new}{'#' + anchor if anchor else ''})"


def tabbed(text: str) -> str:
    """Turn neighbouring blocks under **Command line** and **Python** into tabs; code hosts show one after the other."""

    def tabs(found: re.Match[str]) -> str:
        parts = [
            f'=== "{label}"\n\n' + "\n".join(f"    {line}".rstrip() for line in fence.split("\n"))
            for label, fence in _TAB.findall(found[0])
        ]
        return "\n\n".join(parts) + "\n\n"

    return _TABS.sub(tabs, text)


def spaced_lists(text: str) -> str:
    """Put an empty line before a list, which the site builder needs and code hosts do not."""
    lines: list[str] = []
    in_fence = False
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        starts_list = re.match(r"([-*]|\d+\.) ", line)
        continues = not before.strip() or re.match(r"\s*([-*]|\d+\.) |\s+\S", before)
        if not in_fence and starts_list and not continues:
            lines.append("")
        in_fence ^= line.startswith("```")
        lines.append(line)
    return "\n".join(lines)
