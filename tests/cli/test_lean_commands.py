"""Commands import what they use and nothing else: help needs no library of ours, a check no statistics."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
HEAVY = (
    "IPython", "altair", "joblib", "numba", "onnxruntime", "pandas", "pyarrow", "scipy", "sqlalchemy", "starlette",
    "statsmodels", "torch",
)  # fmt: skip
NOT_FOR_HELP = (*HEAVY, "numpy", "understudy.schema")


def heavy_after(words: list[str], heavy: tuple[str, ...]) -> str:
    """Run a command in a process of its own, and return which of the libraries it imported."""
    code = (
        "import atexit, sys; from understudy.cli.main import run; "
        f"atexit.register(lambda: sys.stderr.write(' '.join(n for n in {heavy!r} if n in sys.modules))); run()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_help_imports_no_library_but_the_one_that_parses_commands() -> None:
    assert heavy_after(["--help"], NOT_FOR_HELP) == ""


@pytest.mark.parametrize("command", ["serve", "worlds", "probe"])
def test_the_help_of_a_command_does_not_import_its_work(command: str) -> None:
    assert command in COMMANDS
    assert heavy_after([command, "--help"], NOT_FOR_HELP) == ""


def test_a_check_imports_neither_statistics_nor_charts_nor_a_database() -> None:
    assert heavy_after(["check", "loan-demo"], HEAVY) == ""
