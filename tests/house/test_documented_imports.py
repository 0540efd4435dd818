"""Documented examples import public names only: what a reader copies must not break with the next version."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        ROOT / "README.md",
        *(page for part in ("tutorial", "how-to", "explanation") for page in (ROOT / "docs" / part).rglob("*.md")),
    ]
)
PUBLIC = {
    "understudy", "understudy.datasets", "understudy.explainers", "understudy.heatmap_scores", "understudy.models",
    "understudy.probe",
    "understudy.probe.concepts", "understudy.probe.trainers", "understudy.protocols", "understudy.registry",
    "understudy.report", "understudy.roles", "understudy.schema", "understudy.sources.photos",
    "understudy.worlds",
}  # fmt: skip
"""The public interface, the catalogues, and what extensions are written with."""


def imports_in(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each module and name that the Python examples of a page import from understudy."""
    for text in re.findall(r"^```python[^\n]*\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "understudy":
                yield from ((node.module or "", alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "understudy")


FOUND = {(str(page.relative_to(ROOT)), *found) for page in PAGES for found in imports_in(page)}


def test_examples_are_found() -> None:
    assert ("README.md", "understudy", "") in FOUND


def test_no_example_imports_a_private_module() -> None:
    assert [found for found in sorted(FOUND) if found[1] not in PUBLIC] == []


def test_what_examples_import_is_exported() -> None:
    missing = [
        (page, module, name)
        for page, module, name in sorted(FOUND)
        if name and module in PUBLIC - {"understudy.registry"} and name not in importlib.import_module(module).__all__
    ]
    assert missing == []
