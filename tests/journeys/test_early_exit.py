"""Journey: people who stop in the middle of a simulation study, from their log to the page, with only pairs counted."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.journeys.simulatability_study import estimate_of, simulatability_study
from tests.playing import Player
from tests.report.page_reading import text_of
from tests.shell import understudy
from understudy.actions.run_folder import Run, new_run
from understudy.actions.run_tables import tables_of
from understudy.conduct import Script, Step
from understudy.estimate.study_findings import study_results
from understudy.schema import Event, Findings, SessionEnded


def wrong(step: Step, script: Script) -> dict[str, Any]:
    return {"output": "B" if script.answers[step.trial.trial_id]["output"] == "A" else "A"}


def played(script: Script, arrival: int, misses: dict[str, range], stop: tuple[str, int] | None = None) -> Player:
    """Answer right but for the places of stages that are named, to the end or up to a place of a stage."""
    player = Player(script, arrival=arrival)
    while player.session.outcome is None:
        step = player.step
        block = step.visit.block.block_id
        if (block, step.position) == stop:
            return player
        player.answer(**(wrong(step, script) if step.position in misses.get(block, ()) else {}))
    return player


def left(player: Player, outcome: str) -> list[Event]:
    """The log of somebody who is gone."""
    plain: dict[str, Any] = {"session_id": player.session.session_id, "seq": 2, "at_ms": player.at_ms + 1}
    return [*player.log, SessionEnded.model_validate({**plain, "outcome": outcome})]


def logs(script: Script) -> list[list[Event]]:
    """Two who finish, one who stops between the phases, one within the second, and one before any prediction."""
    return [
        played(script, 0, {"predict_before": range(4)}).log,
        played(script, 1, {"predict_after": range(2)}).log,
        left(played(script, 2, {}, ("learn_explained", 0)), "withdrew"),
        left(played(script, 3, {"predict_before": range(16)}, ("predict_after", 5)), "abandoned"),
        left(played(script, 4, {}, ("predict_before", 0)), "abandoned"),
    ]


class Told(NamedTuple):
    """The run of those people, and what came of it."""

    run: Run
    findings: Findings


def told_by(folder: Path, partial: str) -> Told:
    study = simulatability_study(arms=("lime",))
    plan = study.plan.model_copy(update={"partial_sessions": partial})
    run = new_run(study.model_copy(update={"plan": plan}), Path(), folder / "run")
    with run.open_log() as log:
        for events in logs(run.script):
            log.append(events)
    return Told(run, study_results(run.script, tables_of(run)).findings)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told_by(tmp_path_factory.mktemp("kept"), "kept")


def test_only_items_answered_in_both_phases_are_compared(told: Told) -> None:
    estimate = estimate_of(told.findings, "change_forward_lime")
    # 16 pairs of each who finished, 5 of the one who stopped within the second phase; gains of 4, -2 and 5.
    assert estimate.details["n_pairs"] == 16 + 16 + 5
    assert estimate.effect == pytest.approx((4 - 2 + 5) / 37)
    assert (estimate.details["only_before"], estimate.details["only_after"]) == (16 + 11, 0)
    assert (estimate.n_sessions, estimate.n_rows) == (3, 74)


def test_a_finding_says_who_left_and_what_was_left_out(told: Told) -> None:
    notes = estimate_of(told.findings, "change_forward_lime").notes
    assert "Left out: answers without a partner in the other phase, 0 in after and 27 in before." in notes
    assert "Of all 4 participants with 'answers', 2 left early and count with the answers they gave." in notes


def test_the_second_test_counts_those_alone_who_reached_it(told: Told) -> None:
    estimate = estimate_of(told.findings, "change_counterfactual_lime")
    assert (estimate.details["n_pairs"], estimate.n_sessions) == (32, 2)


def test_completed_sessions_alone_are_what_a_plan_gets_that_says_nothing(tmp_path: Path) -> None:
    told = told_by(tmp_path, "left_out")
    estimate = estimate_of(told.findings, "change_forward_lime")
    assert estimate.details["n_pairs"] == 16 + 16
    assert estimate.effect == pytest.approx((4 - 2) / 32)
    assert (told.findings.flow.n_analysed, told.findings.flow.n_partial) == (2, 0)


def test_the_flow_keeps_those_who_left_after_an_answer(told: Told) -> None:
    flow = told.findings.flow
    assert [(step.label, step.reason, step.n_left) for step in flow.steps] == [
        ("Left without finishing", "Before the first answer in a main stage", 1)
    ]
    assert (flow.n_recruited, flow.n_analysed, flow.n_partial) == (5, 4, 2)


def test_those_who_left_fill_no_place(told: Told) -> None:
    assert told.findings.provenance.deviations == (
        "Condition 'lime' has 2 participants who completed; the study wants 3.",
    )


def test_missing_answers_are_counted_by_stage(told: Told) -> None:
    assert [
        (block.block_id, block.n_people, block.n_left, block.n_reached, block.n_expected, block.n_given)
        for block in told.findings.missing
    ] == [
        ("predict_before", 5, 3, 4, 80, 64),
        ("predict_after", 5, 3, 3, 80, 37),
        ("edit_before", 5, 3, 2, 80, 32),
        ("edit_after", 5, 3, 2, 80, 32),
    ]


def test_the_report_shows_who_left_and_which_answers_are_missing(told: Told) -> None:
    assert understudy("report", told.run.folder).code == 0
    page = text_of((told.run.folder / "report.html").read_text(encoding="utf-8"))
    assert "5 recruited, 4 analysed; 2 of them left early and count with the answers they gave." in page
    assert "lime predict after 5 3 3 80 43 53.8%" in page
