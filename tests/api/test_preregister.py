"""Preregistering from Python writes the same files as the command, and shows itself."""

from pathlib import Path

import pytest

import understudy as us
from understudy.errors import StudyError


def test_a_study_is_frozen_and_entered_in_its_run(tmp_path: Path) -> None:
    run = us.prepare("loan-demo", tmp_path / "run")
    frozen = us.preregister("loan-demo", tmp_path / "form", run=run)
    assert frozen.digest == run.study.digest
    assert frozen.form.startswith("# ")
    assert frozen.entered_in == run.folder
    assert frozen.digest[:12] in str(frozen)
    assert "Preregistration of loan-demo" in frozen._repr_html_()


def test_nothing_is_frozen_for_a_run_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(us.UnderstudyError, match="There is no folder"):
        us.preregister("loan-demo", tmp_path / "form", run=tmp_path / "nowhere")
    assert not (tmp_path / "form").exists()


def test_a_study_that_cannot_run_is_not_frozen(tmp_path: Path) -> None:
    study = us.load("loan-demo")
    faulty = study.model_copy(update={"measures": ()})
    with pytest.raises(StudyError):
        us.preregister(faulty, tmp_path / "form")
    assert not (tmp_path / "form").exists()
