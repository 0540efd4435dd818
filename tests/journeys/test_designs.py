"""Every published design can be said, kept in a file, and rehearsed to the end of its plan."""

from pathlib import Path

import pytest

from tests.journeys.published_designs import all_designs, hml, ir2, sim
from understudy.actions.study_files import read_study, write_study
from understudy.check.study_check import faults_of
from understudy.conduct import Script
from understudy.estimate.study_findings import StudyResults, study_results
from understudy.estimate.tables import frames_from_sessions
from understudy.prepare import prepare
from understudy.schema import Cast, CastMember, Ref, Study
from understudy.simulate import rehearse

CAST = Cast(
    members=(
        CastMember(participant=Ref(name="careful"), share=0.6),
        CastMember(participant=Ref(name="noisy"), share=0.3),
        CastMember(participant=Ref(name="dropout"), share=0.1),
    )
)
DESIGNS = {study.name: study for study in all_designs()}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the film that some designs show."""
    folder = tmp_path_factory.mktemp("designs")
    (folder / "film.webm").write_bytes(b"a film")
    return folder


def rehearsed(study: Study, root: Path) -> StudyResults:
    prepared = prepare(study, root)
    script = Script(study, prepared.materials, prepared.key)
    return study_results(script, frames_from_sessions(script, rehearse(script, CAST, seed=3)))


@pytest.mark.parametrize("name", DESIGNS)
def test_the_design_is_sound(name: str, root: Path) -> None:
    assert faults_of(DESIGNS[name], root) == []


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("suffix", [".toml", ".yaml"])
def test_the_design_comes_back_from_its_file(name: str, suffix: str, tmp_path: Path) -> None:
    again = read_study(write_study(DESIGNS[name], tmp_path / f"study{suffix}"))
    assert again == DESIGNS[name]
    assert again.digest == DESIGNS[name].digest


@pytest.mark.parametrize("name", DESIGNS)
def test_simulated_people_fill_the_design_and_its_plan_runs(name: str, root: Path) -> None:
    study = DESIGNS[name]
    results = rehearsed(study, root)
    assert results.findings.flow.n_analysed == sum(study.quota_of(cell) for cell in study.cells)
    assert [finding.hypothesis_id for finding in results.findings.findings] == [
        hypothesis.hypothesis_id for hypothesis in study.plan.hypotheses
    ]
    assert all(finding.status == "exploratory" for finding in results.findings.findings)


def test_every_person_of_ir2_meets_all_three_models(root: Path) -> None:
    study = ir2()
    prepared = prepare(study, root)
    script = Script(study, prepared.materials, prepared.key)
    trials = frames_from_sessions(script, rehearse(script, CAST, seed=3, n_people=30)).trials
    met = trials[trials["block"].isin(["reconstruct", "classify"])].groupby("session", observed=True)["model"].nunique()
    assert met.max() == 3


def test_sim_shows_the_same_items_before_and_after(root: Path) -> None:
    study = sim()
    prepared = prepare(study, root)
    script = Script(study, prepared.materials, prepared.key)
    trials = frames_from_sessions(script, rehearse(script, CAST, seed=3, n_people=20)).trials
    for _, mine in trials.groupby("session", observed=True):
        pre, post = (set(mine.loc[mine["block"] == block, "item"]) for block in ("pre", "post"))
        assert post <= pre


def test_hml_pairs_by_object(root: Path) -> None:
    finding = rehearsed(hml(), root).findings.findings[0]
    assert finding.estimate is not None
    assert finding.estimate.df == (59.0,)
