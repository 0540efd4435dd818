"""Terminals and disks that cannot take what is printed: one sentence or a question mark, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shell import understudy


def shown(*words: str, into: str | None = None, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process with its own terminal; `into` is a file for what it prints."""
    command = [sys.executable, "-m", "understudy", *words]
    environment = {**os.environ, "PYTHONWARNINGS": "error", **settings}
    if into is None:
        return subprocess.run(command, env=environment, capture_output=True, check=False)
    with Path(into).open("wb", buffering=0) as out:
        return subprocess.run(command, env=environment, stdout=out, stderr=subprocess.PIPE, check=False)


def test_letters_that_a_terminal_lacks_become_question_marks(tmp_path: Path) -> None:
    run = tmp_path / "run"
    found = shown("rehearse", "loan-demo", "--people", "6", "--out", str(run), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (found.returncode, found.stderr.strip()) == (0, b"")
    assert b"?" in found.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_one_sentence() -> None:
    found = shown("check", "loan-demo", into="/dev/full", PYTHONUNBUFFERED="1")
    assert (found.returncode, found.stderr) == (2, b"The output cannot be written: no space left on device.\n")


def test_a_file_in_place_of_a_run_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("", encoding="utf-8")
    found = understudy("status", tmp_path / "study.toml")
    assert found.code == 2
    assert (
        found.err
        == f"{tmp_path / 'study.toml'} is a file. Give the folder that understudy prepare or understudy rehearse wrote.\n"
    )
