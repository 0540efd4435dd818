"""Tuning from a pilot: when to offer the skip, which agreement to count, and what cannot be known."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.dial_play import events_of, reaction, trial
from tests.playing import study_of
from understudy.actions.pilots import tunings_of
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import Run, new_run
from understudy.cli.main import app_of
from understudy.errors import UnderstudyError
from understudy.report.planning import PilotQuestion, pilot_question, solved_bins, tuned, write_tuning_figure
from understudy.schema import Cast, CastMember, Ref


def solved(seconds: float) -> PilotQuestion:
    return PilotQuestion(best=0.92, last=0.92, solved_s=seconds, threshold=0.9)


def skipped(best: float, last: float | None = None) -> PilotQuestion:
    return PilotQuestion(best=best, last=best if last is None else last, solved_s=None, threshold=0.9)


def test_the_skip_is_offered_after_twice_the_median_rounded_to_five_seconds() -> None:
    assert tuned("m", [solved(5), solved(11), solved(40)], share=0.5).skip_after_s == 20


def test_without_a_solved_question_no_time_is_proposed() -> None:
    assert tuned("m", [skipped(0.5)], share=0.5).skip_after_s is None


def test_the_threshold_is_the_highest_that_enough_questions_reached() -> None:
    questions = [solved(9), skipped(0.8), skipped(0.7), skipped(0.4)]
    assert tuned("m", questions, share=0.75).proposed == 0.7
    assert tuned("m", questions, share=0.5).proposed == 0.8
    assert tuned("m", questions, share=0.25).proposed == 0.9


def test_a_threshold_that_too_few_reach_is_not_proposed() -> None:
    assert tuned("m", [skipped(0.1), skipped(0.2)], share=0.5).proposed is None


def test_a_pilot_with_a_very_low_threshold_is_tuned_too() -> None:
    low = [PilotQuestion(best=0.25, last=0.25, solved_s=4.0, threshold=0.2), PilotQuestion(0.1, 0.1, None, 0.2)]
    assert tuned("m", low, share=0.5).proposed == 0.2
    assert tuned("m", low, share=0.9).reached[0].threshold == 0.2


def test_bars_of_a_long_pilot_are_wider_and_not_more() -> None:
    starts, width_s = solved_bins(tuned("m", [solved(3), solved(14), solved(281)], share=0.5))
    assert width_s == 25
    assert starts == {0: 2, 275: 1}


def test_skips_just_below_the_threshold_are_counted() -> None:
    assert tuned("m", [skipped(0.89), skipped(0.89, last=0.2), solved(3)], share=0.5).n_near == 1


def test_a_recorded_question_gives_its_best_agreement_and_its_active_seconds() -> None:
    done = reaction("dial_visual_matcher", trial([0.0, 0.0, 0.0], [0.8, 0.0, 0.0]), noise=0.01)
    question = pilot_question(events_of(done))
    assert question is not None
    assert question.best == question.last >= 0.899
    assert question.solved_s is not None
    assert 0 < question.solved_s <= done.rt_ms / 1000


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Run:
    questions = {"name": "reconstruction", "params": {"decoder": "sinelines-gt", "distance": "tolerance_band"}}
    study = study_of(
        {"kind": "stage", "block_id": "dials", "task": {"name": "reconstruct", "params": {"skip_after_s": 10}}, "items": "lines"},
        item_sets=[{"name": "lines", "n_items": 3, "dataset": questions}],
    )  # fmt: skip
    run = new_run(study, Path(), tmp_path_factory.mktemp("pilot") / "run")
    person = Ref(name="dial_features_matcher", params={"noise": 0.5})
    rehearse_run(run, Cast(members=(CastMember(participant=person, share=1),)), seed=1, n_people=4)
    return run


def test_a_pilot_is_read_from_its_log(pilot: Run) -> None:
    (tuning,) = tunings_of(pilot, share=0.75, is_synthetic=True)
    assert tuning.n_questions == 12
    assert tuning.n_solved > 0
    assert tuning.skip_after_s is not None


def test_simulated_people_are_not_taken_for_real_ones(pilot: Run) -> None:
    with pytest.raises(UnderstudyError, match=r"No person has turned a dial in .* yet. To try it with a rehearsal"):
        tunings_of(pilot, share=0.75, is_synthetic=False)


def test_a_study_without_dials_has_nothing_to_tune(tmp_path: Path) -> None:
    run = new_run(study_of(), Path(), tmp_path / "run")
    with pytest.raises(UnderstudyError, match="has no question with live dials"):
        tunings_of(run, share=0.75, is_synthetic=False)


def test_the_command_prints_what_to_write_into_the_study_file_and_draws_it(pilot: Run, tmp_path: Path) -> None:
    figure = tmp_path / "tuning.svg"
    outcome = CliRunner().invoke(app_of(["tune"]), ["tune", str(pilot.folder), "--synthetic", "--figure", str(figure)])
    assert outcome.exit_code == 0, outcome.output
    assert outcome.output.startswith("SYNTHETIC DATA")
    assert "skip_after_s = " in outcome.output
    assert "threshold = " in outcome.output
    assert "Questions that reach it" in figure.read_text(encoding="utf-8")
    assert len(re.findall(r">1</text>", figure.read_text(encoding="utf-8"))) <= 1, "each count is on the axis once"


@pytest.mark.parametrize(
    ("figure", "fault"),
    [
        ("tuning.pdf", r"tuning\.pdf ends in '\.pdf'; draw to \.svg or \.png\."),
        ("missing/tuning.svg", "missing is not a folder"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused_before_anything_is_printed(
    pilot: Run, figure: str, fault: str
) -> None:
    outcome = CliRunner().invoke(app_of(["tune"]), ["tune", str(pilot.folder), "--synthetic", "--figure", figure])
    assert isinstance(outcome.exception, UnderstudyError)
    assert re.search(fault, str(outcome.exception))
    assert "skip_after_s" not in outcome.output


def test_a_pilot_in_which_nothing_was_solved_is_drawn_too(tmp_path: Path) -> None:
    figure = write_tuning_figure(
        [tuned("m", [skipped(0.5)], share=0.5)], tmp_path / "t.svg", share=0.5, is_synthetic=False
    )
    assert "Solved questions" in figure.read_text(encoding="utf-8")
