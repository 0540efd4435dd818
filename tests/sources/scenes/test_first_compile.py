"""Kernels are compiled by one process while others wait, and by everybody where nothing can be locked."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from understudy.worlds.renderer import compiling_once


def is_locked(folder: Path) -> bool:
    (file,) = folder.glob("*.lock")
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
        try:
            other.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
    return False


def test_others_wait_for_the_first_and_then_nobody_does(tmp_path: Path) -> None:
    with compiling_once(tmp_path, 7):
        assert is_locked(tmp_path)
    with compiling_once(tmp_path, 7):
        assert not is_locked(tmp_path)


def test_a_compiler_that_was_stopped_leaves_the_work_to_the_next(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), compiling_once(tmp_path, 7):
        raise KeyboardInterrupt
    with compiling_once(tmp_path, 7):
        assert is_locked(tmp_path)


def test_other_kernels_do_not_wait(tmp_path: Path) -> None:
    with compiling_once(tmp_path, 7), compiling_once(tmp_path, 8):
        assert len(list(tmp_path.glob("*.lock"))) == 2


def test_a_folder_that_cannot_be_written_keeps_nobody_from_drawing(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with compiling_once(tmp_path / "taken", 7):
        assert not list(tmp_path.glob("*.done"))
