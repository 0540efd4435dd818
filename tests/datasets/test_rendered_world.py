"""Pictures of worlds as a dataset: drawn live, or read from a rendered folder."""

from pathlib import Path

import numpy as np
import pytest

from understudy.datasets import PictureArray, RenderedWorld
from understudy.errors import MaterialsError, RecordError
from understudy.worlds.pictures import ManyOptions, render_row, render_table
from understudy.worlds.sampling import sample
from understudy.worlds.sixt2022 import sixt2022
from understudy.worlds.world import toml_from_world


def rendered(folder: Path, n: int = 6) -> Path:
    world = sixt2022()
    return render_table(world, sample(world, n, 1), folder, options=ManyOptions(edge=16, per_shard=4))


def test_items_have_all_attributes_of_the_world_and_a_label() -> None:
    drawn = RenderedWorld(edge=16).draw(5, np.random.default_rng(1))
    assert {*sixt2022().names, "label", "class"} == set(drawn.attributes)
    assert set(drawn.attributes["label"]) <= {"Peeky", "Stretchy"}
    assert drawn.contents[0]["image"] in drawn.assets


def test_the_same_generator_draws_the_same_pictures() -> None:
    first, second = (RenderedWorld(edge=16).draw(3, np.random.default_rng(4)) for _ in range(2))
    assert first.keys is not None
    assert second.keys is not None
    assert list(first.keys) == list(second.keys)


def test_a_picture_is_that_of_its_row() -> None:
    world = sixt2022()
    table = sample(world, 3, 9)
    assert render_row(world, table, 2, edge=16).picture.shape == (16, 16, 3)
    assert not np.array_equal(
        render_row(world, table, 2, edge=16).picture, render_row(world, table, 1, edge=16).picture
    )


def test_a_rendered_folder_is_read_with_its_attributes(tmp_path: Path) -> None:
    drawn = RenderedWorld(folder=str(rendered(tmp_path))).draw(6, np.random.default_rng(1))
    legs = sorted(float(value) for value in drawn.attributes["legs"])
    assert legs == pytest.approx(sorted(sample(sixt2022(), 6, 1)["legs"]))
    assert drawn.pictures is not None
    assert drawn.pictures.shape == (6, 16, 16, 3)


def test_picture_arrays_read_a_rendered_folder_too(tmp_path: Path) -> None:
    folder = rendered(tmp_path)
    drawn = PictureArray(path=str(folder), table=str(folder / "attributes.csv")).draw(6, np.random.default_rng(1))
    assert "legs" in drawn.attributes


def test_a_folder_that_is_not_finished_is_refused(tmp_path: Path) -> None:
    (rendered(tmp_path) / "pictures-00001.npy").unlink()
    with pytest.raises(MaterialsError, match="has 4 pictures, but attributes of 6"):
        RenderedWorld(folder=str(tmp_path)).draw(1, np.random.default_rng(1))


def test_a_folder_of_other_rows_is_not_resumed(tmp_path: Path) -> None:
    folder = rendered(tmp_path)
    table = sample(sixt2022(), 6, 1).iloc[::-1]
    with pytest.raises(MaterialsError, match="holds other pictures"):
        render_table(sixt2022(), table, folder, options=ManyOptions(edge=16, per_shard=4))


def test_a_world_of_your_own_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "world.toml"
    path.write_text(toml_from_world(sixt2022()), encoding="utf-8")
    assert len(RenderedWorld(file=str(path), edge=16).draw(2, np.random.default_rng(1)).contents) == 2


def test_a_folder_and_a_file_together_are_refused() -> None:
    with pytest.raises(RecordError, match="Leave out `file`"):
        RenderedWorld(folder="f", file="w.toml")
