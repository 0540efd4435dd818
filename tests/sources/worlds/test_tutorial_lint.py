"""A tutorial's grid must not show what the study shows, nor teach what it asks."""

from pathlib import Path

import numpy as np
import pytest

from understudy.schema import GridFile, RecordedCell
from understudy.sources.grids import picture_name, write_grid_folder
from understudy.worlds.audit import possible_rows, tutorial_faults
from understudy.worlds.sampling import sample
from understudy.worlds.sixt2022 import sixt2022

WORLD = sixt2022()
STUDY = ("legs", "hue", "shape")


def folder_with(folder: Path, attributes: dict[str, float], *, relevant: tuple[str, ...], level: int = 9) -> Path:
    cell = RecordedCell(file=picture_name(0, 0), attributes=attributes)
    pixels = np.full((4, 4, 3), level, dtype=np.uint8)
    write_grid_folder(folder, GridFile(method="Made up.", relevant=relevant, rows=((cell,),)), [[pixels]])
    return folder


def drawn() -> dict[str, float]:
    row = sample(WORLD, 1, 1).iloc[0]
    return {name: float(row[name]) for name in WORLD.names}


def test_the_world_can_draw_everything_it_drew() -> None:
    rows = sample(WORLD, 300, 2)[list(WORLD.names)].to_numpy()
    assert possible_rows(WORLD, rows).all()


@pytest.mark.parametrize(("name", "value"), [("x", 0.2), ("bending", 0.35), ("background", 0.01), ("roll", 1.0)])
def test_the_world_cannot_draw_values_outside_of_its_laws(name: str, value: float) -> None:
    rows = sample(WORLD, 5, 2).assign(**{name: value})[list(WORLD.names)].to_numpy()
    assert not possible_rows(WORLD, rows).any()


def test_a_grid_with_other_causes_and_impossible_pictures_gives_nothing_away(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "a", drawn() | {"x": 0.3}, relevant=("background", "bending"))
    assert tutorial_faults(folder, WORLD, STUDY) == []


@pytest.mark.parametrize(
    ("attributes", "relevant", "said"),
    [
        (drawn() | {"x": 0.3}, ("hue", "background"), "hue is relevant, as in the study. Let other"),
        (drawn() | {"x": 0.3}, (), "does not say what is relevant in it"),
        (
            drawn(),
            ("background",),
            "1 pictures of the tutorial grid 'a', such as 'row01-column01.png', could come from",
        ),
        ({"x": 0.3}, ("background",), "does not say what 'row01-column01.png' was drawn with"),
    ],
    ids=["same cause", "no cause", "same sampler", "unknown origin"],
)
def test_what_gives_the_study_away_is_named(
    tmp_path: Path, attributes: dict[str, float], relevant: tuple[str, ...], said: str
) -> None:
    (fault,) = tutorial_faults(folder_with(tmp_path / "a", attributes, relevant=relevant), WORLD, STUDY)
    assert said in fault


def test_a_picture_that_the_study_shows_too_is_found_by_its_bytes(tmp_path: Path) -> None:
    tutorial = folder_with(tmp_path / "a", drawn() | {"x": 0.3}, relevant=("background",))
    shown = folder_with(tmp_path / "b", drawn(), relevant=())
    (fault,) = tutorial_faults(tutorial, WORLD, STUDY, [shown])
    assert "'row01-column01.png' of the tutorial grid 'a' is also 'row01-column01.png' of 'b'" in fault
