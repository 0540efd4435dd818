"""A study is the same study after a way through a file, whichever the format."""

from pathlib import Path

import pytest

from tests.journeys.published_designs import all_designs
from tests.small_studies import two_groups
from understudy.actions.study_files import read_study, write_study
from understudy.protocols import loan_demo
from understudy.schema import Study

STUDIES = [two_groups(), loan_demo(), *all_designs()]


@pytest.mark.parametrize("suffix", ["toml", "yaml"])
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_a_study_comes_back_from_its_file_as_the_same_study(study: Study, suffix: str, tmp_path: Path) -> None:
    again = read_study(write_study(study, tmp_path / f"study.{suffix}"))
    assert again == study
    assert again.digest == study.digest
