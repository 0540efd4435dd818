"""Files are read once, and again when they have changed."""

import os
from pathlib import Path

import pytest

from understudy.errors import MaterialsError
from understudy.sources.files import read_once


def read(path: Path) -> list[str]:
    return [path.read_text(encoding="utf-8")]


def test_a_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("first", encoding="utf-8")
    assert read_once(path, read, advice="") is read_once(path, read, advice="")


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("first", encoding="utf-8")
    read_once(path, read, advice="")
    path.write_text("second", encoding="utf-8")
    os.utime(path, ns=(0, 0))
    assert read_once(path, read, advice="") == ["second"]


def test_a_missing_file_is_one_sentence_with_advice(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"gone\.txt is not a file\. Write it first\."):
        read_once(tmp_path / "gone.txt", read, advice="Write it first.")
