"""The same study, seed and arrivals give the same bytes and the same findings."""

from pathlib import Path

from understudy.protocols import loan_demo
from understudy.schema import Findings
from understudy.workflow.casting import MIXED
from understudy.workflow.rehearsal import rehearse_run
from understudy.workflow.reporting import archive_of, report_of
from understudy.workflow.run_folder import new_run


def carried_out(folder: Path) -> Findings:
    run = new_run(loan_demo(), Path(), folder)
    rehearse_run(run, MIXED, seed=9, n_people=60)
    archive_of(run, folder / "archive.zip")
    return report_of(run, folder / "report.html").findings


def test_two_runs_give_the_same_materials_archive_and_findings(tmp_path: Path) -> None:
    first, second = (carried_out(tmp_path / name) for name in ("first", "second"))
    assert first == second
    for name in ("study.json", "answers.json", "public/materials.json", "archive.zip"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_rehearsed_findings_are_marked_synthetic_and_never_confirmatory(tmp_path: Path) -> None:
    findings = carried_out(tmp_path / "run")
    assert findings.provenance.is_synthetic
    assert {finding.status for finding in findings.findings} == {"exploratory"}
    assert "SYNTHETIC" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
