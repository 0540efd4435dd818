"""Rules about the repository that a reader may rely on."""

import ast
import importlib
import os
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import understudy

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
ALL_PYTHON = [
    path for folder in ("src", "tests", "bench", "examples", "docs") for path in (ROOT / folder).rglob("*.py")
]
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "tools"}
NOT_WRITTEN = {".venv", ".bench", "node_modules", "runs", ".git"}
MAX_LINES = 700
MAX_FUNCTION_LINES = 90
LONG_FUNCTIONS = {"loan_demo", "_plan"}
"""Exceptions to the length of a function: studies are written out. This list may only shrink."""


class Function(NamedTuple):
    """What the rules say about a function."""

    name: str
    n_lines: int
    n_positional: int
    imports: list[int]
    """Lines of imports inside it."""


class Module(NamedTuple):
    """What the rules say about a file."""

    docstring: str | None
    functions: list[Function]
    imported: list[tuple[int, str]]
    """Lines and names of its own imports."""


def names_in(node: ast.ImportFrom | ast.Import) -> list[str]:
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def function_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    return Function(
        name=node.name,
        n_lines=(node.end_lineno or 0) - node.lineno + 1,
        n_positional=len([arg for arg in node.args.args if arg.arg not in ("self", "cls")]),
        imports=[inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.Import | ast.ImportFrom)],
    )


@cache
def module_of(path: Path) -> Module:
    """Parse a file once for all rules about it, and keep no tree: thousands of them slow every later test."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(
        docstring=ast.get_docstring(tree),
        functions=[
            function_of(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ],
        imported=[
            (node.lineno, name)
            for node in tree.body
            if isinstance(node, ast.ImportFrom | ast.Import)
            for name in names_in(node)
        ],
    )


def written_files() -> Iterator[Path]:
    """Yield every file of the repository that people wrote; what was installed or built is not even looked into."""
    for folder, within, names in os.walk(ROOT):
        within[:] = [name for name in within if name not in NOT_WRITTEN]
        yield from (Path(folder) / name for name in names)


def named(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_no_file_is_longer_than_a_chapter() -> None:
    assert named([path for path in ALL_PYTHON if len(path.read_text().splitlines()) > MAX_LINES]) == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert named([path for path in ALL_PYTHON if path.stem in FORBIDDEN_NAMES]) == []


def test_every_source_file_says_what_it_is_for() -> None:
    assert named([path for path in SOURCES if module_of(path).docstring is None]) == []


def functions(paths: Iterable[Path]) -> Iterator[tuple[str, Function]]:
    """Yield every function of some files, with the name of its file."""
    return ((str(path.relative_to(ROOT)), function) for path in paths for function in module_of(path).functions)


def test_functions_are_no_chapters() -> None:
    long = [(name, each.name) for name, each in functions(SOURCES) if each.n_lines > MAX_FUNCTION_LINES]
    assert [where for where in long if where[1] not in LONG_FUNCTIONS] == []


def test_no_function_takes_more_than_six_positional_parameters() -> None:
    api = [path for path in SOURCES if "cli" not in path.parts]
    assert [(name, each.name) for name, each in functions(api) if each.n_positional > 6] == []


def test_no_import_hides_inside_a_function() -> None:
    # A command imports its work when it runs, so that help starts fast.
    others = [path for path in SOURCES if "commands" not in path.parts]
    assert [(name, line) for name, each in functions(others) for line in each.imports] == []


def test_statistics_are_imported_when_they_are_used() -> None:
    direct = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in SOURCES
        if "deferred" not in path.parts
        for line, name in module_of(path).imported
        if name.split(".")[0] == "scipy"
    ]
    assert direct == [], "import it from understudy.deferred, so that commands start fast (decision 29)"


@pytest.mark.parametrize(
    "package", [name for _, name, is_package in pkgutil.walk_packages(understudy.__path__, "understudy.") if is_package]
)
def test_public_names_are_sorted_and_exist(package: str) -> None:
    module = importlib.import_module(package)
    public = getattr(module, "__all__", [])
    assert sorted(public, key=lambda name: (not name.isupper(), name[0].islower(), name)) == list(public)
    assert all(hasattr(module, name) for name in public)


def test_the_project_speaks_of_itself_alone() -> None:
    private = re.compile(
        r"/work/|\.\./shared/(?:data|spec|seeds|prototypes|hooks|[A-Z]+\.md)|\.library|pypi\.org|registry\.npmjs|files\.pythonhosted"
    )
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in written_files()
        if (path.suffix in {".py", ".md", ".toml", ".cff", ".R"} or path.name == "Makefile") and path != Path(__file__)
        for match in private.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_marks_are_written_in_files_of_tests() -> None:
    """`make slow` and `make thorough` look for them there alone."""
    marked = [path for path in (ROOT / "tests").rglob("*.py") if re.search(r"mark\.(slow|thorough)", path.read_text())]
    assert [path.name for path in marked if not path.name.startswith("test_")] == []
    assert len(marked) > 10


def test_the_version_is_said_once() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    citation = ROOT / "CITATION.cff"
    assert version is not None
    assert not citation.exists() or f"version: {version.group(1)}" in citation.read_text()
