"""The same study, seed and arrivals give the same bytes and the same findings."""

from pathlib import Path
from typing import NamedTuple

import pytest

from understudy.actions.casts import MIXED
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import archive_of, report_of
from understudy.actions.run_folder import new_run
from understudy.protocols import loan_demo
from understudy.schema import Findings


class Pair(NamedTuple):
    """The same study carried out twice: where, and what was found."""

    folders: tuple[Path, Path]
    findings: tuple[Findings, Findings]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folders = (tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second"))
    return Pair(folders, (carried_out(folders[0]), carried_out(folders[1])))


def carried_out(folder: Path) -> Findings:
    run = new_run(loan_demo(), Path(), folder)
    rehearse_run(run, MIXED, seed=9, n_people=24)
    archive_of(run, folder / "archive.zip")
    return report_of(run, folder / "report.html").findings


def test_two_runs_give_the_same_materials_archive_and_findings(pair: Pair) -> None:
    assert pair.findings[0] == pair.findings[1]
    for name in ("study.json", "answers.json", "public/materials.json", "archive.zip"):
        assert (pair.folders[0] / name).read_bytes() == (pair.folders[1] / name).read_bytes()


def test_rehearsed_findings_are_marked_synthetic_and_never_confirmatory(pair: Pair) -> None:
    findings = pair.findings[0]
    assert findings.provenance.is_synthetic
    assert {finding.status for finding in findings.findings} == {"exploratory"}
    assert "SYNTHETIC" in (pair.folders[0] / "report.html").read_text(encoding="utf-8")
