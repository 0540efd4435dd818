"""The shipped grids: alike in every condition, small, and with tutorials that give nothing away."""

import json
from pathlib import Path

import numpy as np
import pytest

import understudy.protocols.sixt2022 as protocol
from understudy.actions.importance import relevance_key_from_file
from understudy.explainers import RecordedGrid
from understudy.inference.onnx_models import observer_from_file
from understudy.schema import PictureGrid, digest_of
from understudy.schema.relevance import ObserverCheck
from understudy.sources.grids import read_grid_folder
from understudy.worlds.audit import possible_rows, tutorial_faults
from understudy.worlds.families import world_named, world_names
from understudy.worlds.observer_check import observer_check, pictures_from_grid_folder
from understudy.worlds.sixt2022 import sixt2022

MATERIAL = Path(protocol.__file__).parent / "material"
CONDITIONS = ("baseline", "counterfactuals", "concepts")
RELEVANT = ("legs", "hue", "shape")


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_shows_fifty_pictures_of_one_size(name: str) -> None:
    (grid,) = RecordedGrid(shipped=f"sixt2022/{name}", n_pictures=50).recorded().explanations
    assert isinstance(grid, PictureGrid)
    assert [len(row) for row in grid.rows] == [5] * 10
    assert {(cell.picture.width, cell.picture.height) for row in grid.rows for cell in row if cell} == {(64, 64)}


def test_baseline_and_counterfactuals_have_the_same_headings() -> None:
    first, second = (read_grid_folder(MATERIAL / name) for name in CONDITIONS[:2])
    assert first.column_headings == second.column_headings
    assert first.column_headings[0] == "Very certain Peeky"


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("world", world_names())
def test_tutorials_give_nothing_of_the_study_away(world: str, name: str) -> None:
    shown = [MATERIAL / condition for condition in CONDITIONS]
    assert tutorial_faults(MATERIAL / "tutorial" / name, world_named(world), RELEVANT, shown) == []


@pytest.mark.parametrize("name", ["baseline", "concepts"])
def test_pictures_are_of_the_world_that_their_grid_names_and_not_of_the_paper(name: str) -> None:
    grid = read_grid_folder(MATERIAL / name)
    world = world_named(grid.world)
    rows = np.array([[cell.attributes[attribute] for attribute in world.names] for cell in grid.cells])
    # Stored with four places, which can lie just outside a range.
    assert possible_rows(world, rows).mean() > 0.95
    assert possible_rows(sixt2022(), rows).mean() < 0.05


def test_grids_key_and_observer_name_one_world_with_its_variant() -> None:
    key = relevance_key_from_file(MATERIAL / "answer_key.json")
    observer = json.loads((MATERIAL / "observer.json").read_text())
    named = {read_grid_folder(MATERIAL / name).world for name in CONDITIONS}
    assert {*named, key.world, observer["training"]["data"]["world"]} == {"sixt2022-code"}
    assert key.world_digest == digest_of(world_named(key.world))


def test_counterfactuals_pass_the_check_on_what_the_observer_can_read() -> None:
    observer = observer_from_file(MATERIAL / "observer.onnx")
    key = relevance_key_from_file(MATERIAL / "answer_key.json")
    check = observer_check(pictures_from_grid_folder(MATERIAL / "counterfactuals"), observer, key)
    assert check.passes, check.faults
    assert check.unreadable == ("roll",)
    stored = ObserverCheck.model_validate_json((MATERIAL / "observer_check.json").read_text())
    assert [row.verdict for row in stored.attributes] == [row.verdict for row in check.attributes]


@pytest.mark.parametrize("name", [*CONDITIONS, *(f"tutorial/{name}" for name in CONDITIONS)])
def test_every_grid_says_what_made_it_and_names_no_picture_by_its_content(name: str) -> None:
    grid = read_grid_folder(MATERIAL / name)
    assert grid.method.endswith(".")
    assert {cell.alt for cell in grid.cells} == {cell.caption for cell in grid.cells} == {""}


def test_logits_of_counterfactuals_are_near_their_targets() -> None:
    cells = read_grid_folder(MATERIAL / "counterfactuals").cells
    missed = [
        abs(cell.stored_logit - cell.target)
        for cell in cells
        if cell.stored_logit is not None and cell.target is not None
    ]
    assert len(missed) == 50
    assert sorted(missed)[25] <= 0.1


def test_all_grids_together_are_small() -> None:
    folders = [*(MATERIAL / name for name in CONDITIONS), MATERIAL / "tutorial"]
    assert sum(path.stat().st_size for folder in folders for path in folder.rglob("*.*")) < 1_700_000
