"""Plain English: phrases that we no longer use are neither in the documentation nor in the texts of the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PHRASES = {
    r"\bwhoever\b": "people who, anybody who",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bthe way on\b": "continue",
    r"\bwould have been right\b": "the correct answer was",
    r"\bof one's own\b": "your own",
    r"\b(?:stands|stood) (?:in(?! for)|on|at|under|beside|next to|twice|there|where)\b": "is, has",
    r"(?<!there )\bis no (?!longer|more|need|one\b)[a-z]": "is not a",
    r"\bbeside\b": "compared with, next to",
    r"\bwhen absent\b": "Default: ...; By default, ...",
    r"\b(?:known|declared|shown|chosen) are:": "Known: ...",
    r"\b(?:come|comes) out even\b": "can be split evenly",
    r"\bholds? (?:a|an|its|the) \w+ against\b": "compares ... with",
    r"\bheld against\b": "compared with",
    r"\blisten(?:s|ing)? at\b": "listen on",
    r"\bgoes on\b": "continues",
    r"\bentered in the log\b": "recorded in the log",
    r"\bno evidence about\b": "not evidence about",
    r"\bbefore (?:anybody|somebody|people) comes?\b": "before anybody takes part",
    r"\b(?:this|the) very (?!small|large|first|few)[a-z]": "exactly this",
    r"\blikewise\b": "too, as well",
    r"\bdealt out\b|\bdeals out\b": "distributed, drawn",
    r"(?:^|[.;] )Who (?:is|was|has|comes|stopped|withdraws|leaves|takes)\b(?![^.]*\?)": "People who ...",
    r"\bmeets? the same (?:pages?|items?)\b": "sees the same",
}
"""Phrase -> what to write instead. docs/style.md has examples."""
# The page of examples shows what not to write, one page records what participants' pages say, and one is made by
# benchmarks that are measured again now and then. Decisions are kept as they were made.
KEPT = ("before-and-after.md", "style.md", "spoken-pages.md", "benchmarks.md")
PAGES = sorted(
    path
    for path in [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "GLOSSARY.md")),
        *DOCS.rglob("*.md"),
        *(ROOT / "src").rglob("*.j2"),
    ]
    if path.name not in KEPT and "decisions" not in path.parts
)
CODE = sorted(path for path in (ROOT / "src" / "understudy").rglob("*.py") if path.name != "part_of_speech_lists.py")
"""Without the list of English words, which has them all."""


def found_in(text: str) -> Iterator[str]:
    """Return each forbidden phrase with the words around it."""
    # A line may break inside a phrase.
    running = " ".join(text.split())
    for phrase, instead in PHRASES.items():
        for found in re.finditer(phrase, running, re.IGNORECASE):
            around = running[max(0, found.start() - 30) : found.end() + 30]
            yield f"...{around}... (write: {instead})"


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Return every string of a module with its line, docstrings included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_use_present_day_english(path: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert [*found_in(prose)] == []


def test_texts_of_the_code_use_present_day_english() -> None:
    # Most modules have none of the phrases, and parsing all of them would take seconds.
    suspects = [path for path in CODE if any(found_in(path.read_text(encoding="utf-8").replace('"', " ")))]
    faults = [
        f"{path.relative_to(ROOT)}:{line} {fault}"
        for path in suspects
        for line, text in texts_of(path)
        for fault in found_in(text)
    ]
    assert faults == []


def test_the_page_of_examples_has_fifty_pairs() -> None:
    rows = re.findall(
        r"^\| (?!not \||---)(.+?) \| (.+?) \|$", (DOCS / "style.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) >= 50
    assert [before for before, after in rows if before == after] == []
