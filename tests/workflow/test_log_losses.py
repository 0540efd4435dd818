"""A damaged log stops the server before anybody is served from it, and the report lists what was lost."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.log_events import moves, started
from tests.serve.stage_door import folder_of
from tests.shell import Shown, understudy
from tests.small_studies import two_groups
from understudy.workflow.runs.registering import registration_record
from understudy.workflow.runs.run_folder import Run, existing_run

LOST = "is damaged: 2 events that were stored are missing (look at the sessions a)"


@pytest.fixture
def damaged(tmp_path: Path) -> Run:
    run = existing_run(folder_of(two_groups(), tmp_path / "run"))
    start = started("a", study="two-groups", condition="shown").model_copy(update={"study_digest": run.script.digest})
    with run.open_log() as log:
        log.append([start, *moves("a", 1, 9)])
    with closing(sqlite3.connect(run.log_path)) as connection:
        connection.execute("DELETE FROM events WHERE stream = 'page' AND seq IN (3, 4)")
        connection.commit()
    return run


@pytest.fixture
def serve(damaged: Run, monkeypatch: pytest.MonkeyPatch) -> "Serve":
    """The command, which returns as soon as it would listen."""
    monkeypatch.setattr("understudy.cli.serve.host_app", lambda *_, **__: None)
    return Serve(damaged.folder)


class Serve:
    """Serves a folder with some options."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, *options: str) -> Shown:
        return understudy("serve", self._folder, "--web", self._folder, *options)


def test_a_damaged_log_is_not_served(serve: Serve) -> None:
    shown = serve()
    assert (shown.code, len(shown.err.strip().splitlines())) == (2, 1)
    assert f"{LOST}. Restore it from a backup; or go on with what is left by --accept-loss" in shown.err


def test_an_accepted_loss_is_told_once(serve: Serve) -> None:
    first, later = serve("--accept-loss"), serve()
    assert (first.code, later.code) == (0, 0)
    assert LOST in first.err
    assert "damaged" not in later.err


def test_the_report_lists_a_loss_among_the_deviations(serve: Serve, damaged: Run) -> None:
    before = registration_record(damaged, None).deviations
    serve("--accept-loss")
    after = registration_record(damaged, None).deviations
    assert before == (f"The event log {LOST}.",)
    assert after == (f"The event log {LOST.replace('is', 'was', 1)}; the study went on with what was left.",)
