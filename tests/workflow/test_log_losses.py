"""A damaged log stops the server before anybody is served from it, and the report lists what was lost."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.alert_receivers import webhook
from tests.log_events import moves, started
from tests.serve.stage_door import folder_of
from tests.shell import Shown, understudy
from tests.small_studies import two_groups
from understudy.actions.preregister import registration_record
from understudy.actions.run_folder import Run, existing_run
from understudy.record import open_log
from understudy.serve.people import People

LOST = "is damaged: 2 events that were stored are missing; 1 session is affected (look at the sessions a)"


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


def test_a_damaged_log_is_not_served_and_the_status_says_so(serve: Serve, damaged: Run) -> None:
    shown = serve()
    assert (shown.code, len(shown.err.strip().splitlines())) == (2, 1)
    assert f"The event log {LOST}." in understudy("status", damaged.folder).err
    assert f"{LOST}. Restore it from a backup; or continue with what is left by --accept-loss" in shown.err


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


def test_researchers_are_told_once_that_the_server_does_not_start(serve: Serve) -> None:
    with webhook() as hook:
        for _ in range(3):
            assert serve("--alert", hook.url).code == 2
        assert [told["alert"] for told in hook.got] == ["events_lost"]
        assert "1 session is affected" in hook.got[0]["text"]
        assert "does not start" in hook.got[0]["text"]


def test_a_loss_that_is_accepted_keeps_the_ids_of_the_people(serve: Serve, damaged: Run) -> None:
    with open_log(damaged.log_path) as log:
        for number in range(9):
            name = f"p{number}"
            start = started(name, study="two-groups", condition="shown", participant=name)
            log.append([start.model_copy(update={"study_digest": damaged.script.digest})])
    people = People(damaged.folder / "people.sqlite")
    for number in range(9):
        people.remember(f"p{number}", {"panel": str(number)})
    with closing(sqlite3.connect(damaged.log_path)) as connection:
        connection.execute("DELETE FROM events WHERE session_number > 4")
        connection.execute("DELETE FROM sessions WHERE number > 4")
        connection.commit()
    assert "6 of them lost entirely" in serve().err
    assert (len(people.all()), people.n_set_aside()) == (9, 0)
    shown = serve("--accept-loss")
    assert (shown.code, len(people.all()), people.n_set_aside()) == (0, 3, 6)
    assert "6 people have an id in" in understudy("status", damaged.folder).err
