"""Calibration: fitted on one data set, tried on another, told on a page that hides nothing."""

from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from understudy.cli.main import app_of
from understudy.errors import MaterialsError
from understudy.protocols import ross2021_synthetic
from understudy.protocols.ross2021.calibration import CalibrationPlan, calibrated, person_from
from understudy.protocols.ross2021.calibration_page import calibration_markdown, write_calibration
from understudy.protocols.ross2021.calibration_rows import (
    MODELS,
    PUBLISHED,
    Calibration,
    OrderShare,
    SimulatedRow,
    TriedCandidate,
)
from understudy.protocols.ross2021.synthetic import DECODERS
from understudy.schema import Study

STRATEGIES = ("dial_random", "dial_visual_matcher")
PARAMETERS = {"noise": 0.2, "give_up": 0.05, "pace_s": 1.5}


def as_people_do(strategy: str, *, shift: float = 0.0) -> list[SimulatedRow]:
    return [
        SimulatedRow(
            strategy=strategy, data=data, model=model, completion=one.completion + shift, completion_sd=0.2,
            completion_low=0.0, completion_high=1.0, error_auc=one.error_auc, error_auc_sd=10.0,
        )
        for data, held in PUBLISHED.items()
        for model, one in held.items()
    ]  # fmt: skip


def tried(strategy: str, *, noise: float = 0.2) -> TriedCandidate:
    parameters = PARAMETERS | {"noise": noise}
    return TriedCandidate(strategy=strategy, parameters=parameters, completion=(0.5, 0.4, 0.1), n_people=30, loss=0.01)


def found(*, shift: float = 0.0) -> Calibration:
    return Calibration(
        command="understudy calibrate",
        rows=(*as_people_do("dial_random", shift=-0.1), *as_people_do("dial_visual_matcher", shift=shift)),
        fits=tuple(tried(strategy) for strategy in STRATEGIES),
        tried=tuple(tried(strategy, noise=noise) for strategy in STRATEGIES for noise in (0.4, 0.2)),
        orders=tuple(OrderShare(strategy=strategy, data=data, n_ordered=3, n_seeds=4) for strategy in STRATEGIES for data in PUBLISHED),
        n_people=15, fit_seeds=(1000,), final_seeds=(1001, 1002), seeds={"sinelines": (1, 2, 3, 4), "dsprites": (1,)},
    )  # fmt: skip


def with_closed_form(seed: int) -> Study:
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
        n_people=2, n_fit_people=2, n_seeds=2, n_final_seeds=1, n_finalists=1, data=("sinelines",),
        grid={"dial_random": {"give_up": (0.2,)}, "dial_visual_matcher": {"noise": (0.05, 5.0), "give_up": (0.2,)}},
    )  # fmt: skip
    told: list[int] = []
    made = calibrated(plan, with_closed_form, n_workers=1, on_progress=told.append)
    return Played(made, sum(told), plan.n_sessions)


def test_a_calibration_fits_and_plays_every_strategy(played: Played) -> None:
    assert played.found.strategies == STRATEGIES
    assert len(played.found.rows) == len(STRATEGIES) * len(MODELS)
    assert played.n_told == played.n_due


def test_the_fit_takes_the_eye_that_comes_nearer_to_people(played: Played) -> None:
    assert played.found.fits[1].parameters["noise"] == 0.05


def test_finalists_are_played_again_with_more_people(played: Played) -> None:
    assert {(one.is_finalist, one.n_people) for one in played.found.tried} == {(True, 4), (False, 2)}


def test_what_the_other_noises_did_stands_beside_the_fit(played: Played) -> None:
    eyes = played.found.variants(played.found.fits[1], "noise")
    assert [eye.parameters["noise"] for eye in eyes] == [0.05, 5.0]
    assert sum(eyes[0].completion) > sum(eyes[1].completion)


def test_the_random_turner_solves_less_than_the_eye(played: Played) -> None:
    rates = {strategy: played.found.row(strategy, "sinelines", "gt").completion for strategy in STRATEGIES}
    assert rates["dial_random"] < rates["dial_visual_matcher"]


def test_no_seed_of_the_tables_was_fitted_on() -> None:
    plan = CalibrationPlan()
    fitted = {*plan.fit_seeds, *plan.final_seeds}
    assert fitted.isdisjoint({*plan.seeds("sinelines"), *plan.seeds("dsprites")})


def test_fitted_parameters_name_a_person_of_a_cast() -> None:
    person = person_from("dial_visual_matcher", {"noise": 0.2, "give_up": 0.05, "pace_s": 3.0})
    assert person.params == {"habits": {"give_up": 0.05, "pace_s": 3.0}, "noise": 0.2}


def test_the_page_says_that_its_people_are_synthetic_and_where_they_fail() -> None:
    page = calibration_markdown(found(shift=0.3), figure="c.svg")
    assert page.count("(synthetic)") == 4
    assert "SYNTHETIC DATA" in page
    assert "`dial_random` comes nearest to people" in page
    far = calibration_markdown(
        found().model_copy(
            update={"rows": (*as_people_do("dial_random", shift=0.4), *as_people_do("dial_visual_matcher", shift=0.2))}
        ),
        figure="c.svg",
    )
    assert "and is still not close" in far
    assert "completion with AE is 0.35 and not 0.15" in far


def test_the_page_finds_no_fault_with_people_themselves() -> None:
    page = calibration_markdown(found(), figure="c.svg")
    assert "`dial_visual_matcher` comes nearest to people." in page
    assert "- `dial_visual_matcher` on dSprites: nowhere." in page
    assert "in 3 of 4 seeds" in page


def test_the_page_says_why_nobody_finds_the_way() -> None:
    lost = found().model_copy(
        update={"rows": tuple(row for strategy in STRATEGIES for row in as_people_do(strategy, shift=-0.5))}
    )
    assert "People see where a shape is." in calibration_markdown(lost, figure="c.svg")
    assert "People see where a shape is." not in calibration_markdown(found(), figure="c.svg")


def test_a_calibration_writes_its_page_its_figure_and_its_numbers(tmp_path: Path) -> None:
    page, figure, numbers = write_calibration(found(), tmp_path / "calibration.md")
    assert "(calibration.svg)" in page.read_text(encoding="utf-8")
    assert "SYNTHETIC DATA" in figure.read_text(encoding="utf-8")
    assert Calibration.model_validate_json(numbers.read_text(encoding="utf-8")) == found()


def test_the_command_names_all_absent_decoders_at_once(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(app_of(), ["calibrate", "--decoders", str(tmp_path)])
    assert isinstance(outcome.exception, MaterialsError)
    assert "dsprites-ae, dsprites-vae, dsprites-gt, sinelines-ae" in str(outcome.exception)
