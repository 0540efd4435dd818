"""A study from Python, as a reader of the tutorial would do it."""

from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

import understudy as us
from tests.small_studies import helped_flow, two_groups


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> us.Run:
    """A rehearsal of a small study."""
    study = two_groups(flow=helped_flow(), assignment={"quota": 6})
    return us.rehearse(study, effects={"explanation=shown": 1.0}, out=tmp_path_factory.mktemp("run"))


def test_a_rehearsal_has_findings_that_are_marked_synthetic(run: us.Run) -> None:
    assert run.findings.provenance.is_synthetic
    assert repr(run.findings).startswith("Findings(12 analysed, synthetic: H1 ")


def test_a_run_has_tables_of_trials_sessions_and_findings(run: us.Run) -> None:
    assert set(run.table()["session"]) == set(run.table("sessions")["session"])
    assert run.table("findings")["hypothesis"].tolist() == ["H1"]
    assert isinstance(run.table(), pd.DataFrame)


def test_a_run_draws_its_figures_as_charts(run: us.Run) -> None:
    assert run.figure("effects").to_dict()["vconcat"]
    assert run.figure("H1").to_dict()["vconcat"]


def test_an_unknown_figure_is_answered_with_the_known_ones(run: us.Run) -> None:
    with pytest.raises(us.UnderstudyError, match=r"There is no figure .effect.\. Did you mean .effects."):
        run.figure("effect")


def test_a_run_writes_its_report(run: us.Run, tmp_path: Path) -> None:
    assert "synthetic" in run.report(tmp_path / "report.html").read_text(encoding="utf-8").lower()


def test_a_run_writes_its_archive(run: us.Run, tmp_path: Path) -> None:
    with ZipFile(run.export(tmp_path / "shared" / "study.zip")) as archive:
        assert "results/findings.json" in archive.namelist()


def test_without_a_path_the_archive_has_the_name_of_the_study(run: us.Run) -> None:
    assert run.export() == run.folder / f"{run.study.name}.zip"


def test_a_run_shows_itself_as_text_and_in_a_notebook(run: us.Run) -> None:
    assert "SYNTHETIC" in str(run)
    assert "<table>" in run._repr_html_()
    assert "12 are analysed" in run._repr_html_()


def test_a_run_can_be_opened_again(run: us.Run) -> None:
    assert us.open_run(run.folder).findings == run.findings


def test_a_prepared_study_waits_for_people(tmp_path: Path) -> None:
    prepared = us.prepare(two_groups(flow=helped_flow()), tmp_path / "prepared")
    assert str(prepared) == f"{tmp_path / 'prepared'}: nobody has completed the study yet."
    assert "wanted" in prepared._repr_html_()


def test_an_unsound_study_is_refused_with_all_its_faults() -> None:
    broken = two_groups(measures=[])
    assert not us.check(broken).is_sound
    with pytest.raises(us.UnderstudyError, match="'correct', which is not declared"):
        us.rehearse(broken)


def test_a_sound_study_says_so(tmp_path: Path) -> None:
    found = us.check(us.save(two_groups(flow=helped_flow()), tmp_path / "study.toml"))
    assert str(found).startswith("two-groups is valid.")
    assert "two-groups: valid" in found._repr_html_()


def test_power_is_a_table_a_figure_and_sentences() -> None:
    found = us.power(two_groups(), "explanation=shown", n=(4,), effects=(0.0, 2.0), simulations=2, workers=1)
    assert found.table()["effect"].tolist() == [0.0, 2.0]
    assert found.figure().to_dict()["facet"]
    assert "H1" in str(found)
    assert "SIMULATED" in found._repr_html_()
