"""One process at a time gives sessions to a folder."""

from pathlib import Path

import pytest

from understudy.errors import LogError
from understudy.record import lock_folder


def test_a_claimed_folder_is_refused_to_others(tmp_path: Path) -> None:
    with lock_folder(tmp_path), pytest.raises(LogError, match="in use by another understudy serve or rehearse"):
        lock_folder(tmp_path).__enter__()


def test_a_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        pass
    with lock_folder(tmp_path) as held:
        assert held is None


def test_two_folders_are_claimed_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with lock_folder(tmp_path), lock_folder(tmp_path / "other") as held:
        assert held is None


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="check that the folder exists"):
        lock_folder(tmp_path / "nowhere").__enter__()
