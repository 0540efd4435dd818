"""A run restored from a backup orders nothing that may have been ordered after the backup was made."""

from pathlib import Path

import pytest

from understudy.actions.backup import RESTORED, note_restored, require_known_orders
from understudy.conduct.pay import PATIENCE_MS
from understudy.errors import UnderstudyError


def test_a_platform_shows_everything_after_a_day_and_a_list_never(tmp_path: Path) -> None:
    note_restored(tmp_path, 0, 1000)
    with pytest.raises(UnderstudyError, match="Lists that were written in between"):
        require_known_orders(tmp_path, 9 * PATIENCE_MS, is_by_list=True, none_lost=False)
    with pytest.raises(UnderstudyError, match="Wait until 1970-01-02 00:00 UTC"):
        require_known_orders(tmp_path, PATIENCE_MS, is_by_list=False, none_lost=False)
    require_known_orders(tmp_path, PATIENCE_MS + 1001, is_by_list=False, none_lost=False)
    assert not (tmp_path / RESTORED).exists()


def test_a_damaged_note_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / RESTORED).write_text("{")
    with pytest.raises(UnderstudyError, match="delete it"):
        require_known_orders(tmp_path, 0, is_by_list=False, none_lost=False)
