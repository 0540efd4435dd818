"""Every variant can be rehearsed: simulated people answer every page, and the plan finds what they do."""

from pathlib import Path

import pytest

from tests.protocols.kim2022.stand_ins import stand_in
from understudy.actions.casts import cast_from, default_cast
from understudy.conduct import Script
from understudy.estimate.study_findings import study_results
from understudy.estimate.tables import frames_from_sessions
from understudy.prepare import prepare
from understudy.protocols.kim2022.printed import published_tables
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import TASKS, Method, Task
from understudy.report import write_paper_tables
from understudy.schema import Cast, Findings
from understudy.simulate import rehearse

VARIANTS = [(method, task) for method, tasks in TASKS.items() for task in tasks]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("photos")


def findings_of(root: Path, method: Method, task: Task, *, cast: str | None = None, n: int = 10) -> Findings:
    study = kim2022(method=method, task=task, data=stand_in(root, method), choices=Kim2022(n_sets=2, per_set=n // 2))
    script = Script(*prepare(study, root))
    who: Cast = cast_from(cast, study)
    sessions = rehearse(script, who, seed=1, n_people=n)
    return study_results(script, frames_from_sessions(script, sessions)).findings


def effect(findings: Findings, hypothesis_id: str) -> float:
    finding = next(finding for finding in findings.findings if finding.hypothesis_id == hypothesis_id)
    assert finding.estimate is not None
    assert finding.estimate.effect is not None
    return finding.estimate.effect


@pytest.mark.parametrize(("method", "task"), VARIANTS)
def test_a_variant_is_rehearsed_and_compared_with_the_paper(
    method: Method, task: Task, root: Path, tmp_path: Path
) -> None:
    study = kim2022(method=method, task=task, data=stand_in(root, method), choices=Kim2022(n_sets=2))
    assert default_cast(study).name == "predictions"
    findings = findings_of(root, method, task)
    planned = {hypothesis.hypothesis_id for hypothesis in study.plan.hypotheses if hypothesis.is_confirmatory}
    assert planned == {row.hypothesis_id for row in findings.findings if row.estimate is not None} & planned
    tables = published_tables(study)
    assert tables is not None
    assert "Kim" in write_paper_tables(findings, tables, tmp_path / "paper.html").read_text()


def test_believers_take_wrong_predictions_for_right(root: Path) -> None:
    findings = findings_of(root, "gradcam", "agreement", cast="believer")
    assert effect(findings, "right_believed") > 0.8
    assert effect(findings, "wrong_recognised") < 0.2


def test_readers_of_sums_find_the_predicted_class_and_not_the_correct_one(root: Path) -> None:
    findings = findings_of(root, "bagnet", "distinction", cast="map_sum_reader")
    assert effect(findings, "output_right") > 0.5
    assert effect(findings, "output_wrong") > 0.5
    assert effect(findings, "distinction_wrong") < 0.2


def test_judges_of_similarity_agree_with_a_model_that_compares_colours(root: Path) -> None:
    findings = findings_of(root, "protopnet", "agreement", cast="similarity_judge")
    assert effect(findings, "similarity_agrees") > 0.1


def test_guessers_are_at_chance(root: Path) -> None:
    findings = findings_of(root, "gradcam", "distinction", cast="guesser", n=40)
    for name in ("distinction_right", "distinction_wrong", "output_right", "output_wrong"):
        assert effect(findings, name) == pytest.approx(0.25, abs=0.1)
