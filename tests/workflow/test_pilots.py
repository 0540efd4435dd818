"""Pilots: marked in everything they leave, apart from the study, and their people may not take it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from starlette.applications import Starlette

from tests.serve.stage_door import ADMIN, GENEROUS, SECRET, Person, Ticking, folder_of, played
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.actions.pilots import earlier_folders, pilot_folder, remembered_people
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import report_of
from understudy.actions.run_folder import existing_run
from understudy.actions.serve import served_from_folder
from understudy.record import open_log
from understudy.serve import close_app, create_app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


def served(folder: Path, earlier: tuple[Path, ...] = ()) -> Iterator[Starlette]:
    clock = Ticking()
    with remembered_people(earlier) as took_part:
        study = replace(served_from_folder(folder), took_part_before=took_part)
        app = create_app(
            [study], secret=SECRET, admin_token=ADMIN, clock=clock, settings=GENEROUS, seconds=lambda: clock() / 1000
        )
        try:
            yield app
        finally:
            close_app(app)
            study.log.close()


def come(folder: Path, name: str, pid: str, earlier: tuple[Path, ...] = ()) -> object:
    for app in served(folder, earlier):
        return played(app, lambda client: Person(client, name, PROLIFIC_PID=pid).start()).json()
    raise AssertionError


def test_a_pilot_is_the_same_pages_under_its_own_name(folder: Path) -> None:
    main, pilot = existing_run(folder), existing_run(pilot_folder(folder, 2))
    assert pilot.prepared.materials.trials == main.prepared.materials.trials
    assert (pilot.script.study.name, pilot.script.study.pilot_of) == ("two-groups-pilot", "two-groups")
    assert [pilot.script.study.quota_of(cell) for cell in pilot.script.study.cells] == [2, 2]


def test_people_of_the_pilot_are_refused_in_the_study(folder: Path) -> None:
    pilot = pilot_folder(folder)
    come(pilot, "two-groups-pilot", "a")
    earlier = earlier_folders(folder)
    refused, welcome = come(folder, "two-groups", "a", earlier), come(folder, "two-groups", "b", earlier)
    assert refused == {"refused": "repeat"}
    assert isinstance(welcome, dict)
    assert "token" in welcome


def test_the_pilot_stays_out_of_the_log_of_the_study(folder: Path) -> None:
    come(pilot_folder(folder), "two-groups-pilot", "a")
    with existing_run(folder).open_log() as log:
        assert (log.count_events(), log.count_sessions("two-groups-pilot")) == (0, 0)


def test_tables_and_report_of_a_pilot_say_so(folder: Path) -> None:
    run = existing_run(pilot_folder(folder, 3))
    rehearse_run(run, MIXED, seed=1, n_people=10)
    findings = report_of(run, run.folder / "report.html").findings
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    sessions = pd.read_parquet(next((run.folder / "tables").glob("*sessions*.parquet")))
    assert findings.provenance.is_pilot
    assert sessions["is_pilot"].all()
    assert page.count("PILOT RUN") >= 3
    assert {finding.status for finding in findings.findings}.isdisjoint({"registered"})


def test_the_study_itself_is_not_marked(folder: Path) -> None:
    run = existing_run(folder)
    rehearse_run(run, MIXED, seed=1, n_people=10)
    page = run.folder / "report.html"
    assert not report_of(run, page).findings.provenance.is_pilot
    assert "PILOT" not in page.read_text(encoding="utf-8")


def test_a_pilot_of_a_pilot_is_refused_in_a_sentence(folder: Path) -> None:
    shown = understudy("serve", pilot_folder(folder), "--pilot")
    assert (shown.code, "serve it without --pilot" in shown.err) == (2, True)


def test_another_number_of_places_is_refused_once_people_have_come(folder: Path) -> None:
    pilot = pilot_folder(folder, 2)
    come(pilot, "two-groups-pilot", "a")
    shown = understudy("serve", folder, "--pilot-places", 5)
    assert (shown.code, "holds events of another version" in shown.err) == (2, True)


def test_a_pilot_is_not_registered(folder: Path, tmp_path: Path) -> None:
    pilot = pilot_folder(folder)
    study = tmp_path / "pilot.json"
    study.write_text((pilot / "study.json").read_text(encoding="utf-8"), encoding="utf-8")
    with open_log(pilot / "events.sqlite"):
        pass
    shown = understudy("preregister", "loan-demo", "--run", pilot, "--out", tmp_path / "frozen")
    assert shown.code == 2
