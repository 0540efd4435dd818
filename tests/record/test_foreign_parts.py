"""A log in which somebody else has put a program is not opened, and nothing of it runs."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.shell import understudy
from tests.workflow.result_files import small_study
from understudy.actions.casts import MIXED
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import new_run
from understudy.errors import LogError
from understudy.record import open_log

PARTS = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM sessions; END",
    "a view": "CREATE VIEW looked_at AS SELECT body FROM events",
    "a table that is a program": "CREATE VIRTUAL TABLE words USING fts5(body)",
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_log_with_a_program_in_it_is_refused(tmp_path: Path, kind: str) -> None:
    open_log(tmp_path / "events.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "events.sqlite")) as database:
        database.execute(PARTS[kind])
    with pytest.raises(LogError, match="has what understudy does not write"):
        open_log(tmp_path / "events.sqlite")


def test_a_backup_with_a_trigger_in_it_is_not_restored(tmp_path: Path) -> None:
    run = new_run(small_study(), tmp_path, tmp_path / "run")
    rehearse_run(run, MIXED, seed=3, n_people=3)
    assert understudy("backup", run.folder, tmp_path / "backup").code == 0
    with closing(sqlite3.connect(tmp_path / "backup" / "events.sqlite")) as database:
        database.execute(PARTS["a trigger"])
        database.commit()
    shown = understudy("restore", tmp_path / "backup", tmp_path / "again")
    assert (shown.code, "Traceback" in shown.err) == (2, False)
    assert "has what understudy does not write" in shown.err
    assert not (tmp_path / "again").exists()
