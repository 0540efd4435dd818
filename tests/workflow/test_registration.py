"""Registered means frozen and recorded in the log before the first participant, to the second."""

import json
import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.report.page_reading import text_of
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.actions.preregister import register
from understudy.actions.report import archive_of, report_of
from understudy.actions.run_folder import Run, new_run
from understudy.errors import UnderstudyError
from understudy.record import open_log
from understudy.report import Freeze, Witness, add_witness, freeze, read_freeze
from understudy.schema import Findings, Registration, SessionStarted
from understudy.simulate import rehearse

CAME = datetime(2026, 3, 1, 12, tzinfo=UTC)
CAME_MS = int(CAME.timestamp() * 1000)
BEFORE = CAME - timedelta(hours=1)


def with_people(run: Run) -> Run:
    """Conduct a study whose people all began in one second."""
    with run.open_log() as log:
        for events in rehearse(run.script, MIXED, seed=4):
            start = events[0]
            assert isinstance(start, SessionStarted)
            person = start.model_copy(update={"participant_kind": "person", "cast": None, "at_ms": CAME_MS})
            log.append([person, *events[1:]])
    return run


def prepared(folder: Path) -> Run:
    return new_run(two_groups(), Path(), folder / "run")


def frozen_at(when: datetime, run: Run, folder: Path, witness: Witness | None = None) -> Path:
    sidecar = freeze(run.script.study, folder / "frozen", at=when, version="0.2.0").sidecar
    add_witness(sidecar, witness or Witness())
    return sidecar


def enter(run: Run, frozen: Freeze, *, at: datetime) -> None:
    """Enter a freeze at a given time of the log's clock."""
    assert frozen.frozen_at is not None
    entry = Registration(
        study_name=frozen.study_name, study_digest=frozen.study_digest, plan_digest=frozen.plan_digest,
        frozen_at=frozen.frozen_at, entered_ms=0, n_sessions_before=0, registry_link=frozen.registry_link,
        timestamp_token=frozen.timestamp_token,
    )  # fmt: skip
    with open_log(run.log_path, clock=lambda: int(at.timestamp() * 1000)) as log:
        log.register(entry)


def registered(folder: Path, *, frozen: datetime, entered: datetime, witness: Witness | None = None) -> Run:
    run = prepared(folder)
    sidecar = frozen_at(frozen, run, folder, witness)
    enter(run, read_freeze(sidecar), at=entered)
    return with_people(run)


def found_in(run: Run, folder: Path, *, preregistration: Path | None = None) -> Findings:
    return report_of(run, folder / "report.html", preregistration=preregistration).findings


def test_a_study_frozen_and_entered_before_the_first_session_is_registered(tmp_path: Path) -> None:
    run = registered(tmp_path, frozen=BEFORE, entered=BEFORE)
    found = found_in(run, tmp_path)
    assert {finding.status for finding in found.findings} == {"registered"}
    assert "confirmatory" in text_of((tmp_path / "report.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("late", "said"),
    [
        (timedelta(seconds=1), "The study was frozen at 2026-03-01 12:00:01 UTC, 1 s after"),
        (timedelta(minutes=10), "The study was frozen at 2026-03-01 12:10:00 UTC, 10 min after"),
    ],
)
def test_a_freeze_after_the_first_session_is_not_registered(tmp_path: Path, late: timedelta, said: str) -> None:
    run = registered(tmp_path, frozen=CAME + late, entered=CAME + late)
    found = found_in(run, tmp_path)
    assert {finding.status for finding in found.findings} == {"planned"}
    assert found.provenance.deviations[0] == f"{said} the first participant came at 2026-03-01 12:00:00 UTC."


def test_an_early_freeze_that_was_entered_late_is_not_registered(tmp_path: Path) -> None:
    run = registered(tmp_path, frozen=BEFORE, entered=CAME + timedelta(seconds=1))
    found = found_in(run, tmp_path)
    assert {finding.status for finding in found.findings} == {"planned"}
    assert found.provenance.deviations[0].startswith(
        "The freeze was recorded in the log at 2026-03-01 12:00:01 UTC, 1 s"
    )


def test_a_turned_back_clock_does_not_register_a_study_that_has_sessions(tmp_path: Path) -> None:
    run = with_people(prepared(tmp_path))
    enter(run, read_freeze(frozen_at(BEFORE, run, tmp_path)), at=BEFORE)
    found = found_in(run, tmp_path)
    assert {finding.status for finding in found.findings} == {"planned"}
    assert "the log already held" in found.provenance.deviations[0]
    assert re.search(r"By then, \d+ participants had come\.", text_of((tmp_path / "report.html").read_text("utf-8")))


def test_a_freeze_outside_the_log_leaves_findings_planned(tmp_path: Path) -> None:
    run = with_people(prepared(tmp_path))
    found = found_in(run, tmp_path, preregistration=frozen_at(BEFORE, run, tmp_path))
    assert {finding.status for finding in found.findings} == {"planned"}
    assert "Only its file says that it was frozen at 2026-03-01 11:00:00 UTC." in found.findings[0].why[0]


def test_a_file_that_was_frozen_late_is_a_deviation_too(tmp_path: Path) -> None:
    run = with_people(prepared(tmp_path))
    sidecar = frozen_at(CAME + timedelta(seconds=1), run, tmp_path)
    assert (
        "1 s after the first participant" in found_in(run, tmp_path, preregistration=sidecar).provenance.deviations[0]
    )


def test_a_file_of_version_1_says_the_day_and_registers_nothing(tmp_path: Path) -> None:
    run = with_people(prepared(tmp_path))
    sidecar = frozen_at(BEFORE, run, tmp_path)
    old = json.loads(sidecar.read_text(encoding="utf-8"))
    kept = {name: old[name] for name in ("study_name", "study_digest", "plan_digest", "frozen_on")}
    sidecar.write_text(json.dumps({"format": 1, **kept, "understudy_version": "0.1.0"}), encoding="utf-8")
    assert "frozen on 2026-03-01." in found_in(run, tmp_path, preregistration=sidecar).findings[0].why[0]
    with pytest.raises(UnderstudyError, match="holds only the day of its freeze"):
        register(run, read_freeze(sidecar))


def test_no_page_or_archive_claims_confirmation_without_a_registration(tmp_path: Path) -> None:
    run = with_people(prepared(tmp_path))
    sidecar = frozen_at(BEFORE, run, tmp_path)
    found_in(run, tmp_path, preregistration=sidecar)
    page = text_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    with zipfile.ZipFile(archive_of(run, tmp_path / "run.zip", preregistration=sidecar)) as archive:
        written = [archive.read(name).decode("utf-8", errors="replace") for name in archive.namelist()]
    assert "confirmatory" not in page.lower()
    # The key of a hypothesis in a plan has the word in its name, and says nothing about findings.
    assert not any("confirmatory" in text.lower().replace("is_confirmatory", "") for text in written)


def test_the_report_prints_link_and_token(tmp_path: Path) -> None:
    witness = Witness("https://registry.example/abc", "dG9rZW4=")
    found_in(registered(tmp_path, frozen=BEFORE, entered=BEFORE, witness=witness), tmp_path)
    page = text_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "Public registry: https://registry.example/abc" in page
    assert "Timestamp token with SHA-256 3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0" in page


def test_another_version_cannot_be_entered(tmp_path: Path) -> None:
    run = prepared(tmp_path)
    other = run.script.study.model_copy(update={"title": "Another"})
    sidecar = freeze(other, tmp_path / "other", at=BEFORE, version="0.2.0").sidecar
    with pytest.raises(UnderstudyError, match="Prepare the frozen study in another folder"):
        register(run, read_freeze(sidecar))


def test_the_command_enters_the_freeze_in_the_log(tmp_path: Path) -> None:
    run = prepared(tmp_path)
    file = run.folder / "study.json"
    shown = understudy("preregister", file, "--out", tmp_path / "frozen", "--run", run.folder)
    assert shown.code == 0, shown.err
    with run.open_log() as log:
        (entry,) = log.registrations(run.script.study.name)
    assert (entry.study_digest, entry.n_sessions_before) == (run.script.digest, 0)
    assert f"in the log of {run.folder}" in shown.out
