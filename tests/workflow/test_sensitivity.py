"""Sensitivity analyses repeat the hypotheses with people whom an exclusion took out."""

from pathlib import Path
from typing import Any

import pytest

from tests.playing import Player, script_of, stage, study_of
from understudy.check.study_check import declared_faults
from understudy.conduct import Script
from understudy.estimate.study_findings import StudyResults, study_results
from understudy.estimate.tables import frames_from_sessions
from understudy.report import write_report
from understudy.report.diagnostics import sensitivity_figure
from understudy.schema import Event, Study

N_PEOPLE = 12


def study(*, is_declared: bool = True, **sensitivity: Any) -> Study:
    mean = {"hypothesis_id": "above_half", "claim": "People are right more often than not.", "outcome": "share",
            "direction": "greater", "against": 0.5, "analysis": "one_sample_t"}  # fmt: skip
    return study_of(
        stage("predict"),
        measures=[
            {"name": "right", "measure": "correct"},
            {"name": "n_right", "measure": "correct", "summary": "sum"},
        ],
        exclusions=[{"exclusion_id": "poor", "rule": "n_right < 3", "reason": "Nearly all wrong."}],
        plan={
            "outcomes": [{"name": "share", "measure": "right"}],
            "hypotheses": [mean],
            "sensitivity": [{"name": "everybody", **sensitivity}] if is_declared else [],
        },
    )


def session(script: Script, arrival: int) -> list[Event]:
    """Somebody with few right answers if the number is even."""
    return (
        Player(script, arrival=arrival).with_mistakes("predict", 3 + arrival % 3 if arrival % 2 else 100).finish().log
    )


@pytest.fixture(scope="module")
def results() -> StudyResults:
    script = script_of(study(keeps=["poor"]))
    return study_results(script, frames_from_sessions(script, [session(script, k) for k in range(N_PEOPLE)]))


def test_excluded_people_count_in_the_repetition_alone(results: StudyResults) -> None:
    (again,) = results.findings.sensitivity
    assert (results.findings.flow.n_analysed, again.n_analysed) == (N_PEOPLE // 2, N_PEOPLE)
    assert sum(again.n_by_condition.values()) == N_PEOPLE


def test_a_repetition_is_exploratory_and_can_end_differently(results: StudyResults) -> None:
    (main,), (again,) = results.findings.findings, results.findings.sensitivity[0].findings
    assert again.status == "exploratory"
    assert again.estimate is not None
    assert main.estimate is not None
    assert (again.estimate.effect or 0) < (main.estimate.effect or 0)


def test_the_report_shows_both_results(results: StudyResults, tmp_path: Path) -> None:
    page = write_report(results.findings, tmp_path / "report.html", study=study(keeps=["poor"])).read_text()
    assert "Sensitivity: the same tests with excluded people" in page
    # One test alone has nothing to be corrected for.
    assert "(corrected)" not in page


def test_one_figure_holds_the_effect_with_and_without_the_excluded(results: StudyResults) -> None:
    figure = sensitivity_figure(results.findings)
    assert figure is not None
    assert "above_half: as planned" in figure.description
    assert "with everybody" in figure.description


def test_every_rule_that_took_people_out_is_repeated_without_being_asked() -> None:
    script = script_of(study(is_declared=False))
    frames = frames_from_sessions(script, [session(script, k) for k in range(N_PEOPLE)])
    findings = study_results(script, frames).findings
    (again,) = findings.sensitivity
    assert (again.name, again.is_declared, again.n_analysed) == ("poor", False, N_PEOPLE)
    figure = sensitivity_figure(findings)
    assert figure is not None
    assert "without “poor”" in figure.description


def test_a_rule_that_took_nobody_out_is_not_repeated() -> None:
    script = script_of(study(is_declared=False))
    frames = frames_from_sessions(script, [session(script, k) for k in range(1, N_PEOPLE, 2)])
    assert study_results(script, frames).findings.sensitivity == ()


def test_an_unknown_exclusion_is_refused() -> None:
    assert declared_faults(study(keeps=["lazy"]), Path()) == [
        "Sensitivity analysis 'everybody' names 'lazy', which is not a known exclusion. Known: poor."
    ]
