"""One session that was changed by hand or by a damaged disk keeps nobody else from being reported, watched or paid."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.shell import understudy
from tests.workflow.result_files import small_study
from understudy.actions.casts import MIXED
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import new_run

N_PEOPLE = 8


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unreadable")
    run = new_run(small_study(), folder, folder / "run")
    rehearse_run(run, MIXED, seed=815, n_people=N_PEOPLE)
    return run.folder


def with_changes(**changes: Any) -> Callable[[str], str]:
    return lambda body: json.dumps({**json.loads(body), **changes})


DAMAGE: dict[str, tuple[str, Callable[[str], str] | None]] = {
    "cut off": ("response_given", lambda body: body[: len(body) // 2]),
    "another type": ("response_given", with_changes(rt_ms="fast")),
    "no such page": ("response_given", with_changes(trial_id="nowhere.1")),
    "long before 1970": ("session_started", with_changes(at_ms=-(2**53) + 1)),
    "long after 9999": ("session_started", with_changes(at_ms=2**53 - 1)),
    "a kind that we do not write": ("trial_shown", with_changes(type="danced")),
    "no start": ("session_started", None),
    "a place that is none": ("session_started", with_changes(assignment={"condition": "x"})),
    "a list": ("response_given", lambda _: "[]"),
    "a number": ("session_ended", lambda _: "7"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_every_command_names_the_session_and_goes_on(rehearsed: Path, tmp_path: Path, kind: str) -> None:
    folder = shutil.copytree(rehearsed, tmp_path / "run")
    wanted, change = DAMAGE[kind]
    with closing(sqlite3.connect(folder / "events.sqlite")) as database:
        query = "SELECT position, body FROM events WHERE body LIKE ? ORDER BY position LIMIT 1 OFFSET 3"
        position, body = database.execute(query, (f'%"{wanted}"%',)).fetchone()
        if change is None:
            database.execute("DELETE FROM events WHERE position = ?", (position,))
        else:
            database.execute("UPDATE events SET body = ? WHERE position = ?", (change(body), position))
        database.commit()
    session_id = json.loads(body)["session_id"]
    report = tmp_path / "report.html"
    for command in (
        ("status", folder), ("monitor", folder), ("pay", folder, "--dry-run"), ("report", folder, "--out", report),
        ("export", folder, "--out", tmp_path / "data.zip"),
    ):  # fmt: skip
        shown = understudy(*command)
        assert shown.code == 0, (command, shown.err)
        assert "Traceback" not in shown.err
    assert session_id in report.read_text(encoding="utf-8")
