"""Calibration: fitted on one data set, tried on another, told on a page that hides nothing."""

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from understudy.cli.main import app_of
from understudy.errors import MaterialsError
from understudy.report.calibration_page import calibration_markdown, write_calibration_page
from understudy.report.calibration_rows import (
    MODELS,
    PUBLISHED,
    Calibration,
    NoiseRow,
    OrderShare,
    SimulatedRow,
    StrategyFit,
)
from understudy.workflow import calibration
from understudy.workflow.calibration import CalibrationPlan, calibrated, n_stages, person_from

STRATEGIES = ("dial_random", "dial_visual_matcher")


def as_people_do(strategy: str, *, shift: float = 0.0) -> list[SimulatedRow]:
    return [
        SimulatedRow(strategy, data, model, one.completion + shift, 0.2, 0.0, 1.0, one.error_auc, 10.0)
        for data, held in PUBLISHED.items()
        for model, one in held.items()
    ]


def found(*, shift: float = 0.0) -> Calibration:
    parameters = {"noise": 0.2, "give_up": 0.05, "pace_s": 1.5}
    return Calibration(
        rows=(*as_people_do("dial_random", shift=-0.1), *as_people_do("dial_visual_matcher", shift=shift)),
        fits=tuple(StrategyFit(one, parameters, 0.01, 40) for one in STRATEGIES),
        orders=tuple(OrderShare(one, data, 3, 4) for one in STRATEGIES for data in PUBLISHED),
        noise_rows=(NoiseRow("dial_visual_matcher", 0.4, (0.5, 0.4, 0.1)),), n_people=15, n_fit_people=30, fit_seed=0, seeds={"sinelines": (1, 2, 3, 4), "dsprites": (1,)},
    )  # fmt: skip


class Played(NamedTuple):
    """A small calibration, and how much of it the progress bar was told."""

    found: Calibration
    n_told: int
    n_due: int


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The closed form under the names of all three models, played by few people."""
    folder = tmp_path_factory.mktemp("decoders")
    shelf = Path(str(files("understudy") / "decoding" / "shipped"))
    for model in MODELS:
        for suffix in (".onnx", ".json"):
            shutil.copy(shelf / f"sinelines-gt{suffix}", folder / f"sinelines-{model}{suffix}")
    plan = CalibrationPlan(n_people=2, n_fit_people=2, n_seeds=2, folder=folder, data=("sinelines",))
    told: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "GRIDS", {"dial_random": (), "dial_visual_matcher": (0.05, 2.0)})
        patch.setattr(calibration, "GIVE_UP", (0.2,))
        patch.setattr(calibration, "PACE_S", (1.5,))
        yield Played(calibrated(plan, n_workers=1, on_progress=told.append), sum(told), n_stages(plan))


def test_a_calibration_fits_and_plays_every_strategy(played: Played) -> None:
    assert played.found.strategies == STRATEGIES
    assert len(played.found.rows) == len(STRATEGIES) * len(MODELS)
    assert played.n_told == played.n_due


def test_the_fit_takes_the_eye_that_comes_nearer_to_people(played: Played) -> None:
    fit = played.found.fits[1]
    assert fit.parameters["noise"] == 0.05
    assert fit.n_tried == 2


def test_every_noise_of_the_grid_is_told(played: Played) -> None:
    eyes = [one for one in played.found.noise_rows if one.strategy == "dial_visual_matcher"]
    assert [one.noise for one in eyes] == [0.05, 2.0]
    assert sum(eyes[0].completion) > sum(eyes[1].completion)


def test_equal_models_meet_equal_questions(played: Played) -> None:
    rates = {played.found.row("dial_visual_matcher", "sinelines", model).completion for model in MODELS}
    assert len(rates) == 1
    assert all(one.n_ordered == 0 for one in played.found.orders)


def test_fitted_parameters_name_a_person_of_a_cast() -> None:
    person = person_from("dial_visual_matcher", {"noise": 0.2, "give_up": 0.05, "pace_s": 3.0})
    assert person.params == {"habits": {"give_up": 0.05, "pace_s": 3.0}, "noise": 0.2}


def test_absent_decoders_are_named_all_at_once(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="sinelines-gt, sinelines-vae, sinelines-ae, dsprites-gt"):
        calibrated(CalibrationPlan(folder=tmp_path), n_workers=1)


def test_the_page_says_that_its_people_are_synthetic_and_where_they_fail() -> None:
    page = calibration_markdown(found(shift=0.3), figure="c.svg", command="understudy calibrate")
    assert page.count("(synthetic)") == 4
    assert "SYNTHETIC DATA" in page
    assert "`dial_random` comes nearest to people" in page
    far = calibration_markdown(
        found()._replace(rows=(*as_people_do("dial_random", shift=0.4), *as_people_do("dial_visual_matcher", shift=0.2))),
        figure="c.svg", command="understudy calibrate",
    )  # fmt: skip
    assert "and is still not close" in far
    assert "completion with AE is 0.35 and not 0.15" in far


def test_the_page_finds_no_fault_with_people_themselves() -> None:
    page = calibration_markdown(found(), figure="c.svg", command="understudy calibrate")
    assert "`dial_visual_matcher` comes nearest to people." in page
    assert "- `dial_visual_matcher` on dSprites: nowhere." in page
    assert "in 3 of 4 seeds" in page


def test_the_figure_lies_beside_the_page(tmp_path: Path) -> None:
    page = write_calibration_page(found(), tmp_path / "calibration.md", command="understudy calibrate")
    assert "(calibration.svg)" in page.read_text(encoding="utf-8")
    assert "SYNTHETIC DATA" in (tmp_path / "calibration.svg").read_text(encoding="utf-8")


def test_the_command_tells_a_folder_without_decoders(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(app_of(), ["calibrate", "--decoders", str(tmp_path)])
    assert isinstance(outcome.exception, MaterialsError)
