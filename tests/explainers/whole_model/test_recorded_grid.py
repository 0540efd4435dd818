"""A grid is recorded as a folder, shown as it was recorded, and refused in one sentence where something is wrong."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.playing import stage, study_of
from understudy.check.study_check import faults_of, study_faults
from understudy.errors import MaterialsError
from understudy.explainers import RecordedGrid, record_grid
from understudy.roles import Pixels
from understudy.schema import PictureGrid, Ref, Study
from understudy.sources.grids import read_grid_folder
from understudy.sources.pictures import pixels_from_file


def pixels(seed: int = 1) -> Pixels:
    return np.random.default_rng(seed).integers(256, size=(12, 16, 3), dtype=np.uint8)


def recorded(folder: Path) -> Ref:
    """Record a grid of two rows, in which one place is empty and one picture has a highlight."""
    bright = np.array([[0.0, 1.0], [0.0, 1.0]])
    return record_grid(
        folder,
        [[pixels(1), pixels(2)], [pixels(3), None]],
        method="Random pixels.",
        column_headings=["low", "high"],
        maps=[[bright, None], [None, None]],
    )


def grid_of(folder: Path, **params: object) -> PictureGrid:
    (grid,) = RecordedGrid.model_validate({"folder": str(folder), **params}).recorded().explanations
    assert isinstance(grid, PictureGrid)
    return grid


def study_with(grid: Ref) -> Study:
    return study_of(stage("judge", explains_model=True), bindings=[{"model_explainer": grid}])


def test_pictures_come_back_as_they_were_recorded(tmp_path: Path) -> None:
    recorded(tmp_path / "grid")
    grid = grid_of(tmp_path / "grid")
    assert [[cell is not None for cell in row] for row in grid.rows] == [[True, True], [True, False]]
    assert grid.column_headings == ("low", "high")
    file = read_grid_folder(tmp_path / "grid").cells[1].file
    assert np.array_equal(pixels_from_file(tmp_path / "grid" / file), pixels(2))
    assert {(cell.picture.width, cell.picture.height) for row in grid.rows for cell in row if cell} == {(16, 12)}


def test_a_map_becomes_a_highlight_of_its_upper_half(tmp_path: Path) -> None:
    recorded(tmp_path)
    first, second = grid_of(tmp_path).rows[0]
    assert first is not None
    assert second is not None
    (outline,) = first.highlight
    assert min(x for x, _ in outline.points) == pytest.approx(0.5, abs=0.1)
    assert second.highlight == ()


def test_a_second_recording_replaces_the_first(tmp_path: Path) -> None:
    recorded(tmp_path)
    record_grid(tmp_path, [[pixels(9)]], method="Random pixels.")
    assert len(grid_of(tmp_path).rows) == 1
    assert len(list(tmp_path.glob("*.png"))) == 1


def test_a_study_shows_a_recorded_grid_without_model_or_dataset(tmp_path: Path) -> None:
    recorded(tmp_path / "grid")
    study = study_with(Ref(name="recorded_grid", params={"folder": "grid"}))
    assert faults_of(study, tmp_path) == []


def escape(folder: Path) -> None:
    text = (folder / "grid.json").read_text()
    (folder / "grid.json").write_text(text.replace("row01-column01.png", "../secret.png"))


def damage(folder: Path) -> None:
    (folder / "row01-column01.png").write_bytes(b"\x89PNG\r\n\x1a\n and then nothing")


def without_method(folder: Path) -> None:
    plain = json.loads((folder / "grid.json").read_text())
    del plain["method"]
    (folder / "grid.json").write_text(json.dumps(plain))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda folder: (folder / "row02-column01.png").unlink(),
            "'row02-column01.png', which is not a file there. Put",
        ),
        (lambda folder: (folder / "grid.json").unlink(), "has no grid.json. Write one with"),
        (lambda folder: (folder / "grid.json").write_text("{"), "grid.json'"),
        (without_method, "method"),
        (escape, "'../secret.png', which leads out of its folder by '..'"),
        (damage, "'row01-column01.png', which cannot be read as a picture"),
    ],
    ids=["missing", "no grid", "no json", "no method", "escaping", "damaged"],
)
def test_check_says_in_one_sentence_what_is_wrong_with_a_folder(
    tmp_path: Path, spoil: Callable[[Path], object], said: str
) -> None:
    recorded(tmp_path / "grid")
    spoil(tmp_path / "grid")
    (fault,) = faults_of(study_with(Ref(name="recorded_grid", params={"folder": "grid"})), tmp_path)
    assert said in fault


@pytest.mark.parametrize("params", [{}, {"folder": "grid", "shipped": "sixt2022/baseline"}], ids=["neither", "both"])
def test_exactly_one_source_is_named(params: dict[str, str], tmp_path: Path) -> None:
    (fault,) = study_faults(study_with(Ref.model_validate({"name": "recorded_grid", "params": params})), tmp_path)
    assert "name either a `folder` or a `shipped` grid" in fault


def test_a_grid_that_does_not_come_with_the_package_is_refused(tmp_path: Path) -> None:
    study = study_with(Ref(name="recorded_grid", params={"shipped": "sixt2022/nothing"}))
    (fault,) = faults_of(study, tmp_path)
    assert "'sixt2022/nothing' does not come with understudy" in fault


def test_a_grid_with_another_number_of_pictures_than_the_study_needs_is_refused(tmp_path: Path) -> None:
    recorded(tmp_path / "grid")
    study = study_with(Ref(name="recorded_grid", params={"folder": "grid", "n_pictures": 4}))
    (fault,) = faults_of(study, tmp_path)
    assert "has 3 pictures, but must have 4" in fault


def test_nothing_to_record_and_grey_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="The grid has no pictures"):
        record_grid(tmp_path, [], method="None.")
    with pytest.raises(MaterialsError, match=r"Give uint8 values \(row, column, 3 channels\)"):
        record_grid(tmp_path, [[np.zeros((4, 4), dtype=np.uint8)]], method="Grey.")
