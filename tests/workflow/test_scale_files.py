"""A published scale comes as a small file: its page, its composite score and its reliability follow from it."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from tests.log_events import answered
from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import archive_of, report_of, scale_summaries
from understudy.actions.run_folder import new_run
from understudy.actions.study_files import read_study
from understudy.errors import StudyError
from understudy.measures import RawTlx, ScaleScore
from understudy.schema import Matrix, blocks_in, json_from_record
from understudy.statistics.describe import cronbach_alpha
from understudy.tasks import Questionnaire

SCALE = """
name = "trust"
source = "A paper of 2000"
prompt = "How much do you agree?"
points = 7
low_label = "Not at all"
high_label = "Fully"
[[items]]
text = "I can rely on the model."
[[items]]
text = "The model is deceptive."
is_reversed = true
"""


GIVEN = [answered("s", 1, {}).model_copy(update={"response": {"trust": {"a": 6, "b": 2}}})]


def study_text() -> str:
    """A study file with one more page and one more measure, both named by a scale file."""
    plain: dict[str, Any] = {**json_from_record(two_groups())}
    block = {"block_id": "trust_page", "scale": "trust.toml"}
    measure = {"name": "trust_score", "scale": "trust.toml", "blocks": ["trust_page"], "summary": "mean"}
    return json.dumps({**plain, "flow": [*plain["flow"], block], "measures": [*plain["measures"], measure]})


def test_a_scale_file_becomes_a_page_and_a_score(tmp_path: Path) -> None:
    (tmp_path / "trust.toml").write_text(SCALE)
    (tmp_path / "study.json").write_text(study_text())
    study = read_study(tmp_path / "study.json")
    (page,) = [block for block in blocks_in(study.flow) if block.block_id == "trust_page"]
    (asked,) = Questionnaire.model_validate(page.task.params).questions
    assert isinstance(asked, Matrix)
    assert asked.rows == ("I can rely on the model.", "The model is deceptive.")
    assert study.measures[-1].measure.params["reversed"] == ["The model is deceptive."]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (SCALE.replace("points = 7", "points = 1"), "points"),
        (SCALE.replace("The model is deceptive.", "I can rely on the model."), "listed twice"),
        (None, "trust.toml"),
    ],
)
def test_a_faulty_scale_file_is_refused_with_its_name(tmp_path: Path, text: str | None, sentence: str) -> None:
    if text is not None:
        (tmp_path / "trust.toml").write_text(text)
    (tmp_path / "study.json").write_text(study_text())
    with pytest.raises(StudyError, match=r"trust\.toml") as refused:
        read_study(tmp_path / "study.json")
    assert sentence in str(refused.value)


def test_report_and_codebook_say_how_people_scored_and_how_far_the_items_agree(tmp_path: Path) -> None:
    (tmp_path / "trust.toml").write_text(SCALE)
    (tmp_path / "study.json").write_text(study_text())
    run = new_run(read_study(tmp_path / "study.json"), tmp_path, tmp_path / "run")
    rehearse_run(run, MIXED, seed=1)
    (summary,) = scale_summaries(run)
    report_of(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    row = page[page.index('id="scales"') :].split("<tbody>")[1].split("</tbody>")[0]
    assert summary.alpha is not None
    for text in ("trust_score", "A paper of 2000", "2, 1 to 7", "mean of items", f"{summary.mean:.2f}"):
        assert text in row
    with ZipFile(archive_of(run, tmp_path / "archive.zip")) as archive:
        told = " ".join(archive.read(name).decode() for name in archive.namelist() if name.endswith((".json", ".csv")))
    assert "Composite of the scale 'trust': mean of its items, 1 to 7" in told
    assert f"Cronbach's alpha {summary.alpha:.2f} over 2 items" in told


def test_reversed_items_count_the_other_way_round() -> None:
    score = ScaleScore(question="trust", points=7, reversed=("b",))
    assert score.score(GIVEN, {}) == 6.0
    assert ScaleScore(question="trust", points=7, summary="sum").score(GIVEN, {}) == 8


def test_raw_tlx_is_the_mean_of_six_scales_and_missing_without_one() -> None:
    names = ("mental", "physical", "temporal", "performance", "effort", "frustration")
    answers: dict[str, str | int] = dict(zip(names, (10, 20, 30, 40, 50, 60), strict=True))
    assert RawTlx().score([answered("s", 1, answers)], {}) == 35.0
    assert RawTlx().score([answered("s", 1, {"mental": 10})], {}) is None


def test_alpha_is_one_for_items_that_agree_and_unknown_without_differences() -> None:
    column = np.array([1.0, 2.0, 5.0])
    assert cronbach_alpha(np.column_stack([column, column])) == pytest.approx(1.0)
    assert cronbach_alpha(np.ones((3, 2))) is None
