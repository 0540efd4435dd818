"""The commands that take a run's folder: status, report, export."""

import html
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.report.report_samples import DESCRIPTIVE_FILES
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.run_folder import read_progress
from understudy.actions.study_files import write_study
from understudy.record import open_log


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rehearsed study and its preregistration, made once."""
    folder = tmp_path_factory.mktemp("rehearsed")
    study = write_study(two_groups(assignment={"quota": 4}), folder / "study.toml")
    understudy("preregister", study, "--out", folder / "frozen")
    understudy("rehearse", study, "--out", folder / "run")
    return folder


@pytest.fixture
def run(rehearsed: Path, tmp_path: Path) -> Path:
    """A copy to write into."""
    return Path(shutil.copytree(rehearsed, tmp_path / "copy")) / "run"


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    study = write_study(two_groups(), tmp_path / "study.toml")
    understudy("prepare", study, "--out", tmp_path / "prepared")
    return tmp_path / "prepared"


def test_status_counts_simulated_people_apart(run: Path) -> None:
    rows = json.loads(understudy("status", run, "--json").out)
    assert [(row["condition"], row["kind"], row["quota"], row["n_completed"]) for row in rows] == [
        ("shown", "synthetic", 4, 4),
        ("hidden", "synthetic", 4, 4),
    ]


def test_status_is_a_table_to_read(run: Path) -> None:
    shown = understudy("status", run)
    assert shown.code == 0
    assert "synthetic" in shown.out
    assert "completed" in shown.out


def test_status_of_a_prepared_study_is_all_zeros(prepared: Path) -> None:
    rows = json.loads(understudy("status", prepared, "--json").out)
    assert [row["n_completed"] + row["n_active"] + row["n_left"] for row in rows] == [0, 0]


def test_report_writes_a_page_that_says_synthetic(run: Path) -> None:
    shown = understudy("report", run)
    assert shown.out.splitlines() == [f"Wrote {run / 'report.html'}.", f"Next: understudy export {run}"]
    assert "synthetic" in (run / "report.html").read_text(encoding="utf-8").lower()


def test_a_report_is_written_again_only_if_something_changed(run: Path) -> None:
    page = run / "report.html"
    first = understudy("report", run)
    page.write_text("kept", encoding="utf-8")
    second = understudy("report", run)
    assert second.out.startswith(f"{page} is up to date")
    assert page.read_text(encoding="utf-8") == "kept"
    with open_log(run / "events.sqlite") as log:
        log.erase(next(log.summaries("two-groups")).session_id)
    assert understudy("report", run).out == first.out
    assert understudy("report", run, "--again").out == first.out


def test_a_report_in_the_background_notes_its_progress(run: Path) -> None:
    # As the server runs it; a process by itself, because giving way cannot be taken back.
    words = [sys.executable, "-m", "understudy", "report", run, "--background", run / "report.progress"]
    subprocess.run(list(map(str, words)), check=True, capture_output=True)
    noted = read_progress(run / "report.progress")
    assert noted is not None
    assert noted.stage in ("Reading sessions", "Testing hypotheses", "Drawing figures")


def test_report_is_held_against_the_preregistration(run: Path) -> None:
    frozen = run.parent / "frozen" / "two-groups.preregistration.json"
    assert understudy("report", run, "--preregistration", frozen).code == 0
    digest = json.loads(frozen.read_text(encoding="utf-8"))["study_digest"]
    assert digest[:12] in (run / "report.html").read_text(encoding="utf-8")


def test_a_command_to_copy_names_what_it_needs_in_quotes(run: Path) -> None:
    frozen = run.parent / "frozen" / "two-groups.preregistration.json"
    spaced = run.rename(run.parent / "my runs")
    shown = understudy("report", spaced, "--preregistration", frozen)
    assert shown.out.splitlines()[-1] == f"Next: understudy export '{spaced}'"
    page = html.unescape((spaced / "report.html").read_text(encoding="utf-8"))
    assert f"understudy report '{spaced}' --preregistration {frozen}" in page


def test_a_study_with_a_null_is_exported(tmp_path: Path) -> None:
    measure = {"name": "correct", "params": {"question": None}}
    study = write_study(two_groups(measures=[{"name": "correct", "measure": measure}]), tmp_path / "study.yaml")
    understudy("rehearse", study, "--out", tmp_path / "run", "--people", "2")
    assert understudy("export", tmp_path / "run").code == 0


def test_export_holds_everything_another_lab_needs(run: Path) -> None:
    shown = understudy("export", run)
    assert shown.out.startswith(f"Wrote {run / 'two-groups.zip'} (")
    assert zipfile.ZipFile(run / "two-groups.zip").namelist() == sorted(
        [
            ".psychdsignore",
            "CHANGES.md",
            "README.md",
            "data/parquet/study-twogroups_description-syntheticSessions_data.parquet",
            "data/parquet/study-twogroups_description-syntheticTrials_data.parquet",
            "data/raw/study-twogroups_description-syntheticEvents.jsonl",
            "data/study-twogroups_description-syntheticSessions_data.csv",
            "data/study-twogroups_description-syntheticSessions_data.json",
            "data/study-twogroups_description-syntheticTrials_data.csv",
            "data/study-twogroups_description-syntheticTrials_data.json",
            *DESCRIPTIVE_FILES,
            "materials/items.csv",
            "materials/items.json",
            "materials/study.yaml",
            "results/findings.json",
        ]
    )


@pytest.mark.parametrize("command", ["report", "export"])
def test_a_run_without_sessions_is_refused(command: str, prepared: Path) -> None:
    shown = understudy(command, prepared)
    assert (shown.code, shown.err) == (
        2,
        f"{prepared} has no sessions yet. Rehearse the study: understudy rehearse STUDY --out {prepared}\n",
    )


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    shown = understudy("report", tmp_path / "loan")
    assert shown.err.startswith(f"There is no folder {tmp_path / 'loan'}. Check the path")


@pytest.mark.parametrize("command", ["status", "report", "export"])
def test_an_empty_folder_is_refused(command: str, tmp_path: Path) -> None:
    shown = understudy(command, tmp_path)
    assert (shown.code, list(tmp_path.iterdir())) == (2, [])
    assert shown.err.startswith(f"{tmp_path / 'study.json'} is missing, so {tmp_path} is not a prepared study.")


@pytest.mark.parametrize("command", ["report", "export"])
def test_a_missing_preregistration_is_refused(command: str, run: Path) -> None:
    shown = understudy(command, run, "--preregistration", run / "none.json")
    assert shown.code == 2
    assert shown.err.startswith(f"The preregistration {run / 'none.json'} cannot be read")


def test_damaged_materials_are_refused(run: Path) -> None:
    (run / "answers.json").write_text("{", encoding="utf-8")
    shown = understudy("report", run)
    assert shown.code == 2
    assert shown.err.startswith(f"The files in {run} are damaged. Prepare the study again: understudy prepare STUDY")
