"""Calibration: fitted on one data set, tested on another, written on a page that hides nothing."""

from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tests.dial_play import events_of, reaction, trial
from understudy.cli.main import app_of
from understudy.errors import MaterialsError, UnknownName
from understudy.inference.model_folders import SHELF
from understudy.measures.dials import ErrorAuc
from understudy.protocols import ross2021_mnist, ross2021_synthetic
from understudy.protocols.ross2021.calibration import (
    CalibrationPlan,
    Candidate,
    Job,
    JobRunner,
    Round,
    calibrated,
    likeness,
    mean_interval,
    person_from,
    rank_correlation,
    rank_interval,
    repeated_rank,
)
from understudy.protocols.ross2021.calibration_page import calibration_markdown, write_calibration
from understudy.protocols.ross2021.calibration_rows import (
    MODELS_OF,
    PUBLISHED,
    Calibration,
    Likeness,
    PlayedDecoder,
    SimulatedRow,
    TriedCandidate,
    error_auc,
)
from understudy.protocols.ross2021.digits import MODELS as DIGITS
from understudy.protocols.ross2021.synthetic import DECODERS
from understudy.schema import Study

STRATEGIES = ("dial_random", "dial_features_matcher")
PARAMETERS = {"noise": 0.2, "give_up": 0.05, "pace_s": 1.5}
DATA = ("sinelines", "dsprites")


def rows_like_people(strategy: str, *, shift: float = 0.0, data_sets: tuple[str, ...] = DATA) -> list[SimulatedRow]:
    return [
        SimulatedRow(
            strategy=strategy, data=data, model=model, completion=held.completion + shift, completion_sd=0.2,
            completion_low=0.0, completion_high=1.0, error_auc=held.error_auc, error_auc_sd=10.0,
            difficulty=held.difficulty, difficulty_sd=1.0,
        )
        for data in data_sets
        for model, held in PUBLISHED[data].items()
    ]  # fmt: skip


def tried(strategy: str, *, noise: float = 0.2) -> TriedCandidate:
    parameters = PARAMETERS | {"noise": noise}
    return TriedCandidate(strategy=strategy, parameters=parameters, completion=(0.5, 0.4, 0.1), n_people=30, loss=0.01)


def likenesses(strategy: str, *, gap: float) -> list[Likeness]:
    return [
        Likeness(
            strategy=strategy, data=data, gap=abs(gap), gap_low=0.0, gap_high=1.0, rank=1.0, rank_low=0.3, rank_high=1.0,
            seed_rank=0.5, n_ordered=3, n_seeds=4,
        )
        for data in DATA
    ]  # fmt: skip


def found(*, shift: float = 0.0) -> Calibration:
    return Calibration(
        command="understudy calibrate",
        rows=(*rows_like_people("dial_random", shift=-0.5), *rows_like_people("dial_features_matcher", shift=shift)),
        fits=tuple(tried(strategy) for strategy in STRATEGIES),
        tried=tuple(tried(strategy, noise=noise) for strategy in STRATEGIES for noise in (0.4, 0.2)),
        likenesses=(*likenesses("dial_random", gap=0.5), *likenesses("dial_features_matcher", gap=shift)),
        n_people={"sinelines": 6, "dsprites": 2}, rounds=(4, 8), fit_seeds=(1000, 1001), seeds=(1, 2, 3, 4),
    )  # fmt: skip


def found_on_digits() -> Calibration:
    """The features matcher on the digits, as like people as people."""
    held = found()
    return held.model_copy(
        update={
            "rows": tuple(rows_like_people("dial_features_matcher", data_sets=("mnist",))),
            "fits": held.fits[1:],
            "likenesses": (held.likenesses[-1].model_copy(update={"data": "mnist"}),),
            "n_people": {"mnist": 2},
            "decoders": (
                PlayedDecoder(model="ss5", n_epochs=56, error=21.488),
                PlayedDecoder(model="ig5", n_epochs=40),
            ),
        }
    )


def with_closed_form(_: str, seed: int) -> Study:
    """The closed form under the names of all three models."""
    return ross2021_synthetic(seed=seed, decoders=dict.fromkeys(DECODERS, "sinelines-gt"))


class Played(NamedTuple):
    """A small calibration, and how much of it the progress bar was told."""

    found: Calibration
    n_told: int
    n_due: int


@pytest.fixture(scope="module")
def played() -> Played:
    """A calibration of few people."""
    plan = CalibrationPlan(
        n_people=2, n_seeds=2, rounds=(Round(6, 1), Round(6, 1)), data=("sinelines",),
        grid={"dial_random": {"give_up": (0.2,)}, "dial_features_matcher": {"noise": (0.5, 50.0), "give_up": (0.2,)}},
    )  # fmt: skip
    told: list[int] = []
    runner = JobRunner(with_closed_form, n_workers=1, on_progress=told.append)
    return Played(calibrated(plan, runner), sum(told), plan.n_sessions)


def test_a_calibration_fits_and_plays_every_strategy(played: Played) -> None:
    assert played.found.strategies == STRATEGIES
    assert len(played.found.rows) == len(STRATEGIES) * len(MODELS_OF["sinelines"])
    assert played.n_told == played.n_due


def test_the_fit_takes_the_eye_that_comes_nearer_to_people(played: Played) -> None:
    assert played.found.fits[1].parameters["noise"] == 0.5


def test_bad_candidates_stop_after_the_first_round(played: Played) -> None:
    held = {(fit.parameters.get("noise"), fit.n_rounds, fit.n_people) for fit in played.found.tried}
    assert held == {(None, 2, 12), (0.5, 2, 12), (50.0, 1, 6)}


def test_what_the_other_noises_did_is_on_the_page(played: Played) -> None:
    eyes = played.found.variants(played.found.fits[1], "noise")
    assert [eye.parameters["noise"] for eye in eyes] == [0.5, 50.0]
    assert sum(eyes[0].completion) > sum(eyes[1].completion)


def test_a_calibration_says_how_the_models_are_ordered_by_difficulty(played: Played) -> None:
    held = played.found.likeness("dial_features_matcher", "sinelines").difficulty_rank
    assert held is not None
    assert -1 <= held.low <= held.high <= 1


def test_the_random_turner_solves_less_than_the_eye(played: Played) -> None:
    rates = {strategy: played.found.row(strategy, "sinelines", "gt").completion for strategy in STRATEGIES}
    assert rates["dial_random"] < rates["dial_features_matcher"]


def test_rated_difficulty_is_higher_for_people_who_solve_less(played: Played) -> None:
    hard = {strategy: played.found.row(strategy, "sinelines", "gt").difficulty for strategy in STRATEGIES}
    assert hard["dial_random"] > hard["dial_features_matcher"] + 1


def test_the_same_candidate_plays_the_same_questions_in_the_same_way() -> None:
    job = Job("sinelines", 3, Candidate("dial_random", (("give_up", 0.5),)), 1)
    first, second = (JobRunner(with_closed_form, n_workers=1, on_progress=print).play([job])[job] for _ in range(2))
    assert first == second


def test_digits_are_played_with_all_seven_models(tmp_path: Path) -> None:
    for model, suffix in product(DIGITS, (".onnx", ".json")):
        (tmp_path / f"mnist-{model}{suffix}").write_bytes((SHELF / f"practice-disc{suffix}").read_bytes())
    job = Job("mnist", 1, Candidate("dial_oracle", (("n_thoughts", 10),)), 1)
    study = ross2021_mnist(folder=str(tmp_path))
    scores = JobRunner(lambda *_: study, n_workers=1, on_progress=print).play([job])[job]
    assert [score.model for score in scores] == list(DIGITS)
    assert min(score.completion for score in scores) > 0.8


def test_an_interrupted_calibration_goes_on_where_it_was(tmp_path: Path) -> None:
    job = Job("sinelines", 3, Candidate("dial_random", (("give_up", 0.5),)), 1)
    store = tmp_path / "calibration.part.jsonl"
    scores = JobRunner(with_closed_form, n_workers=1, store=store, on_progress=print).play([job])
    with store.open("a", encoding="utf-8") as file:
        file.write('["half a line')

    def refused(*_: object) -> Study:
        raise AssertionError("played again")

    again = JobRunner(refused, n_workers=1, store=store, on_progress=print)
    assert again.n_done == 1
    assert again.play([job]) == scores
    assert store.read_text(encoding="utf-8").count("\n") == 1


def test_a_file_that_holds_no_results_is_refused_with_a_sentence(tmp_path: Path) -> None:
    store = tmp_path / "calibration.part.jsonl"
    store.write_text("no results\n[]\n", encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"Line 1 of .* is not a result of a calibration. Delete the file"):
        JobRunner(with_closed_form, n_workers=1, store=store, on_progress=print)


def test_error_without_a_log_is_the_error_that_the_measure_reads_from_a_log() -> None:
    done = reaction("dial_visual_matcher", trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4]))
    assert error_auc(tuple(done.interactions)) == pytest.approx(ErrorAuc().score(events_of(done), {}))


def test_no_seed_of_the_tables_was_fitted_on() -> None:
    assert set(CalibrationPlan().fit_seeds).isdisjoint(CalibrationPlan().seeds)


def test_the_default_calibration_is_planned_for_less_than_twelve_minutes_on_two_cores() -> None:
    assert CalibrationPlan().seconds / 2 < 12 * 60


def test_digits_are_announced_as_slower_than_sprites() -> None:
    plans = [CalibrationPlan(data=data) for data in (("sinelines",), ("sinelines", "dsprites"), ("sinelines", "mnist"))]
    alone, with_sprites, with_digits = (plan.seconds for plan in plans)
    assert with_digits - alone > 2 * (with_sprites - alone) > 0


def test_fitted_parameters_name_a_person_of_a_cast() -> None:
    person = person_from("dial_features_matcher", {"noise": 0.2, "give_up": 0.05, "hope": 0.3})
    assert person.params == {"habits": {"give_up": 0.05, "hope": 0.3}, "noise": 0.2}


def test_an_interval_over_seeds_is_that_of_the_t_distribution() -> None:
    held = mean_interval([0.2, 0.4, 0.6])
    assert (held.estimate, held.high - held.estimate) == pytest.approx((0.4, 4.302653 * 0.2 / 3**0.5), rel=1e-6)


def test_rates_of_people_themselves_have_no_distance_and_full_order() -> None:
    people = [0.75, 0.51, 0.15]
    held = likeness("s", "dsprites", [people, people], people)
    assert (held.gap, held.rank, held.rank_low, held.n_ordered) == (0, 1, 1, 2)


def test_the_distance_is_that_of_the_mean_rates_and_not_the_mean_of_distances() -> None:
    held = likeness("s", "dsprites", [[0.85, 0.61, 0.25], [0.65, 0.41, 0.05]], [0.75, 0.51, 0.15])
    assert held.gap == pytest.approx(0)
    assert held.gap_high == pytest.approx(0.1)


def test_ratings_in_the_order_of_people_have_full_rank_with_an_interval_over_seeds() -> None:
    assert rank_interval([[2.0, 4.0, 5.0], [1.0, 3.0, 6.0]], [4.0, 4.07, 5.87]) == (1.0, 1.0, 1.0)


def test_an_interval_of_the_order_is_wide_where_seeds_disagree() -> None:
    held = rank_interval([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], [1.0, 2.0, 3.0])
    assert (held.low, held.high) == (-1, 1)


def test_other_people_would_repeat_the_order_on_sprites_more_surely_than_on_digits() -> None:
    sprites, digits = repeated_rank("dsprites"), repeated_rank("mnist")
    assert 0.5 < digits.estimate < sprites.estimate <= 1
    assert digits.low < digits.estimate < digits.high


def test_equal_rates_order_nothing() -> None:
    assert rank_correlation(np.zeros(3), np.array([0.8, 0.6, 0.3])) == 0


def test_the_page_says_that_its_people_are_synthetic() -> None:
    page = calibration_markdown(found(), figure="c.svg")
    assert page.count("(synthetic)") == 2 * 3 * 2
    assert "SYNTHETIC DATA" in page


def test_the_page_says_what_the_features_matcher_misses() -> None:
    page = calibration_markdown(found(shift=0.2), figure="c.svg")
    assert "the features matcher is not within 0.15 of people" in page
    assert "GT by +0.20, VAE by +0.20, AE by +0.20" in page
    assert "completion with AE is 0.35 and not 0.15" in page


def test_the_page_finds_no_fault_with_people_themselves() -> None:
    page = calibration_markdown(found(), figure="c.svg")
    assert "On dSprites, the features matcher is within 0.15 of people with every model: GT 0.75" in page
    assert "- `dial_features_matcher` on dSprites: nowhere." in page
    assert "3 of 4" in page


def test_the_page_names_data_and_strategies_that_were_left_out() -> None:
    assert (
        "This run left out MNIST, `dial_number_watcher`, `dial_visual_matcher`, `dial_learner`."
        in calibration_markdown(found(), figure="c.svg")
    )


def test_the_page_says_how_long_the_decoders_of_digits_learned() -> None:
    page = calibration_markdown(found_on_digits(), figure="digits.svg")
    assert "| SS5 | 56 | 21.49 | 20.79 |" in page
    assert "| IG5 | 40 | – | – |" in page
    assert "the numbers are in digits.json" in page


def test_a_calibration_writes_its_page_its_figure_and_its_numbers(tmp_path: Path) -> None:
    page, figure, numbers = write_calibration(found(), tmp_path / "calibration.md")
    assert "(calibration.svg)" in page.read_text(encoding="utf-8")
    assert "SYNTHETIC DATA" in figure.read_text(encoding="utf-8")
    assert Calibration.model_validate_json(numbers.read_text(encoding="utf-8")) == found()


@pytest.mark.parametrize(
    ("option", "absent"),
    [("--decoders", "dsprites-ae, dsprites-vae, dsprites-gt, sinelines-ae"), ("--mnist", "mnist-ae5, mnist-vae5")],
)
def test_the_command_names_all_absent_decoders_at_once(tmp_path: Path, option: str, absent: str) -> None:
    outcome = CliRunner().invoke(app_of(), ["calibrate", option, str(tmp_path)])
    assert isinstance(outcome.exception, MaterialsError)
    assert absent in str(outcome.exception)


def test_a_strategy_that_cannot_be_calibrated_is_refused_with_those_that_can() -> None:
    outcome = CliRunner().invoke(app_of(["calibrate", "tune"]), ["calibrate", "--strategy", "careful"])
    assert isinstance(outcome.exception, UnknownName)
    assert "careful cannot be calibrated. Choose from: dial_random, dial_number_watcher" in str(outcome.exception)


def test_a_page_that_is_a_folder_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(app_of(["calibrate", "tune"]), ["calibrate", "--out", str(tmp_path)])
    assert isinstance(outcome.exception, MaterialsError)
    assert f"{tmp_path} is a folder. Name the page to write" in str(outcome.exception)


class Interrupted(NamedTuple):
    """How a stopped calibration ended, and the file that it left."""

    outcome: Result
    left: Path


def interrupted(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> Interrupted:
    """Stop a calibration after its first job."""

    def stopped(_: CalibrationPlan, runner: JobRunner, **__: str) -> Calibration:
        runner.play([Job("sinelines", 1, Candidate("dial_random", (("give_up", 0.9),)), 1)])
        raise KeyboardInterrupt

    monkeypatch.setattr("understudy.cli.calibrate.calibrated", stopped)
    short = ["--out", str(folder / "c.md"), "--without-test", "--workers", "1"]
    outcome = CliRunner().invoke(app_of(["calibrate", "tune"]), ["calibrate", *short, *options])
    return Interrupted(outcome, max(folder.glob("c.*.part.jsonl"), key=lambda path: path.stat().st_mtime_ns))


def test_jobs_of_a_stopped_calibration_are_kept_for_the_same_decoders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = interrupted(tmp_path, monkeypatch)
    assert first.outcome.exit_code == 130
    assert "Stopped. 1 job is kept" in first.outcome.output
    assert "1 job of an interrupted calibration is kept" in interrupted(tmp_path, monkeypatch).outcome.output
    own = tmp_path / "own"
    own.mkdir()
    for name in ("sinelines-ae", "sinelines-vae", "sinelines-gt"):
        for ending in ("onnx", "json"):
            content = (SHELF / f"{name}.{ending}").read_bytes()
            (own / f"{name}.{ending}").write_bytes(content)
    # One decoder under the name of another.
    (own / "sinelines-ae.onnx").write_bytes((SHELF / "sinelines-vae.onnx").read_bytes())
    other = interrupted(tmp_path, monkeypatch, "--decoders", str(own))
    assert "interrupted calibration" not in other.outcome.output
    assert other.left != first.left
