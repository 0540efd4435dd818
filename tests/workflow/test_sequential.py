"""Sequential studies are tested at their planned looks only, with p-values that allow for all of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.playing import Player, script_of, stage, study_of
from tests.shell import understudy
from understudy.actions.report import report_of
from understudy.actions.run_folder import Run, new_run
from understudy.check.study_check import declared_faults
from understudy.conduct import Script
from understudy.estimate import look_rows
from understudy.estimate.study_findings import study_results, study_verdicts
from understudy.estimate.tables import frames_from_sessions
from understudy.report import write_report
from understudy.report.study_sentences import sequential_sentences
from understudy.schema import AnalysisPlan, Event, Finding, Findings, SessionExcluded, Study
from understudy.statistics.group_sequential import boundaries, repeated_p

LOOKS = (6, 12)


def study(looks: Sequence[int] = LOOKS, **plan: Any) -> Study:
    mean = {"hypothesis_id": "above_half", "claim": "People are right more often than not.", "outcome": "share",
            "against": 0.5, "analysis": "one_sample_t"}  # fmt: skip
    return study_of(
        stage("predict"),
        measures=[{"name": "right", "measure": "correct"}],
        plan={
            "outcomes": [{"name": "share", "measure": "right"}],
            "hypotheses": [mean],
            "sequential": {"looks": list(looks)},
            **plan,
        },
    )


def session(script: Script, arrival: int) -> list[Event]:
    """Somebody with up to two wrong answers."""
    return Player(script, arrival=arrival).with_mistakes("predict", arrival % 3).finish().log


def findings(n_people: int, of: Study | None = None) -> Findings:
    script = script_of(of or study())
    frames = frames_from_sessions(script, [session(script, k) for k in range(n_people)])
    return study_results(script, frames).findings


def run_of(folder: Path, of: Study) -> Run:
    return new_run(of, folder, folder / "run")


def arrive(run: Run, arrivals: Iterable[int], *, n_wrong: int | None = None) -> None:
    """Let people come and finish, with as many wrong answers as their arrival says, or all alike."""
    with run.open_log() as log:
        for arrival in arrivals:
            player = Player(run.script, arrival=arrival)
            log.append(player.with_mistakes("predict", arrival % 3 if n_wrong is None else n_wrong).finish().log)


def finding_in(run: Run) -> Finding:
    return report_of(run, run.folder / "report.html").findings.findings[0]


def test_somebody_slow_who_came_early_joins_no_look_that_was_reached(tmp_path: Path) -> None:
    run = run_of(tmp_path, study())
    arrive(run, [0, 1, 3, 4, 5, 6])
    first = finding_in(run)
    arrive(run, [2], n_wrong=3)
    assert finding_in(run) == first
    with run.open_log() as log:
        (look,) = log.looks(run.script.study.name)
    assert len(look.marks) == 6
    arrive(run, range(7, 12))
    last = finding_in(run)
    assert last.estimate is not None
    assert last.estimate.n_sessions == 12
    page = (run.folder / "report.html").read_text()
    assert "look 1 of 2 was reached: its 6 people stay the same when others finish later." in page
    assert "results of look 1 of 2 were seen for the first time, in a report." in page


def test_somebody_who_is_excluded_later_leaves_no_look_that_was_reached(tmp_path: Path) -> None:
    run = run_of(tmp_path, study())
    arrive(run, range(6))
    first = finding_in(run)
    with run.open_log() as log:
        session_id = next(iter(log.summaries(run.script.study.name))).session_id
        taken_out = {"exclusion_id": "by_hand", "reason": "Copied.", "actor": "r"}
        log.append([SessionExcluded(session_id=session_id, seq=1, at_ms=1, stream="desk", **taken_out)])
    assert finding_in(run) == first
    page, said = (run.folder / "report.html").read_text(), understudy("status", run.folder).out
    for shown in (page, said):
        assert "This is look 1 of 2, at the first 6 people: 5 of 12 people are analysed" in shown
        assert "No look yet" not in shown
    # Sensitivity analyses add those who were taken out, and nobody else.
    arrive(run, [6])
    found = report_of(run, run.folder / "report.html").findings
    assert {results.n_analysed for results in found.sensitivity} <= {6}


def test_what_was_rejected_at_a_look_is_not_turned_around_by_a_later_estimate(tmp_path: Path) -> None:
    (claim,) = study().plan.hypotheses
    expected = claim.model_dump() | {"expects": "greater"}
    run = run_of(tmp_path, study(hypotheses=[expected], sequential={"looks": [8, 40], "spending": "pocock"}))
    arrive(run, [0], n_wrong=1)
    arrive(run, range(1, 8), n_wrong=0)
    first = finding_in(run)
    assert (first.verdict, first.is_interim) == ("supported", True)
    assert "Supported, interim" in (run.folder / "report.html").read_text()
    arrive(run, range(8, 40), n_wrong=99)
    last = finding_in(run)
    assert last.estimate is not None
    assert last.estimate.tested_side == "less"
    assert (last.verdict, last.is_interim) == ("supported", False)
    assert "Decided at look 1" in " ".join(last.why)


def test_nothing_is_tested_before_the_first_look() -> None:
    found = findings(5)
    (finding,) = found.findings
    assert (finding.verdict, finding.estimate, found.sensitivity) == ("not_tested", None, ())
    assert finding.why[0].startswith("No look yet: 5 of 12 people are analysed, and the first of 2 looks comes at 6.")


def test_people_after_a_look_do_not_count_until_the_next() -> None:
    at_look, later = findings(6), findings(9)
    assert at_look.findings[0].estimate == later.findings[0].estimate
    assert (later.flow.n_analysed, [look.is_reached for look in later.looks]) == (9, [True, False])


def test_the_p_value_of_a_look_allows_for_all_looks() -> None:
    (finding,) = findings(6).findings
    assert finding.estimate is not None
    assert finding.estimate.p_value is not None
    assert finding.p_adjusted == pytest.approx(repeated_p(finding.estimate.p_value, [0.5], "obrien_fleming"))
    assert finding.p_adjusted is not None
    assert finding.p_adjusted > finding.estimate.p_value


def test_intervals_are_widened_for_the_looks() -> None:
    (finding,) = findings(6).findings
    assert finding.estimate is not None
    assert finding.estimate.interval is not None
    assert finding.estimate.interval.level == pytest.approx(1 - 0.00305, abs=1e-4)


def test_the_last_look_remembers_the_first() -> None:
    (first,), (last,) = findings(6).findings, findings(12).findings
    assert last.estimate is not None
    alone = repeated_p(last.estimate.p_value or 1, [0.5, 1.0], "obrien_fleming")
    assert last.p_adjusted == pytest.approx(min(first.p_adjusted or 1, alone))
    assert "Look 2 of 2, at 12 of 12 people" in " ".join(last.why)


def test_conditions_that_are_not_full_are_no_deviation_before_the_last_look() -> None:
    assert "the study wants" not in " ".join(findings(7).provenance.deviations)
    assert "the study wants" in " ".join(findings(12).provenance.deviations)


def test_power_counts_looks_too() -> None:
    script = script_of(study())
    frames = frames_from_sessions(script, [session(script, k) for k in range(5)])
    assert study_verdicts(script, frames, seed=1) == {"above_half": "not_tested"}


def test_the_report_says_which_look_this_is(tmp_path: Path) -> None:
    page = write_report(findings(7), tmp_path / "report.html", study=study()).read_text()
    assert "This is look 1 of 2, at the first 6 people" in page
    assert "Looks at the data" in page


def test_the_preregistration_lists_the_bounds() -> None:
    said = " ".join(sequential_sentences(study().plan))
    assert "looked at when 6 and 12 people are analysed" in said
    assert "a two-sided p-value rejects below 0.00305 at 6 and 0.049 at 12" in said


def test_bounds_of_one_sided_tests_are_listed_where_the_plan_has_any(tmp_path: Path) -> None:
    both, (claim,) = study(), study().plan.hypotheses
    one = both.plan.model_copy(update={"hypotheses": (claim.model_copy(update={"direction": "greater"}),)})
    assert {row.nominal_one_sided for row in look_rows(both.plan, 0)} == {None}
    found = [row.nominal_one_sided for row in look_rows(one, 0)]
    assert found == pytest.approx(boundaries([0.5, 1.0], 0.05, "obrien_fleming", "one").nominal)
    assert "a one-sided one below 0.00557 at 6 and 0.0482 at 12" in " ".join(sequential_sentences(one))
    page = write_report(findings(7, both.model_copy(update={"plan": one})), tmp_path / "r.html", study=both).read_text()
    assert ">One-sided<" in page


def test_more_looks_than_places_are_refused() -> None:
    faults = declared_faults(study(looks=(10, 100_000)), Path())
    assert faults[0].startswith("The last look of the plan is at 100000 people, but the study has places for")


@pytest.mark.parametrize("looks", [(40, 40), (80, 40), (1, 2)])
def test_looks_must_rise(looks: tuple[int, int]) -> None:
    plan = {"outcomes": [{"name": "a", "measure": "a"}], "sequential": {"looks": looks}}
    with pytest.raises(ValidationError, match="write rising numbers of people"):
        AnalysisPlan.model_validate(plan)
