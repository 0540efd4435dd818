"""Files of items that the model gets right or wrong are equally long, and still show the same pixels."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.playing import stage, study_of
from tests.prepare.tile_world import register_tiles
from understudy.prepare import Prepared, prepare
from understudy.prepare.prepared import _with_size
from understudy.schema import files_named_in
from understudy.sources.pictures import picture_fault, picture_from_pixels


@pytest.fixture(autouse=True)
def _tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    register_tiles(monkeypatch)


def prepared_tiles(**item_set: object) -> Prepared:
    task = {"name": "judge", "params": {"text": "Look."}}
    study = study_of(
        {**stage("look", explains=True), "task": task, "purpose": "learning"},
        bindings=[{"dataset": "tiles", "model": "tile_model", "explainer": "target_maps"}],
        item_sets=[{"name": "cases", "n_items": 12, **item_set}],
        measures=[{"name": "correct", "measure": "correct", "blocks": ["look"]}],
    )
    return prepare(study, Path())


def sizes(prepared: Prepared) -> set[int]:
    return {len(file) for file in prepared.files.values() if isinstance(file, bytes)}


def test_files_are_equally_long_where_items_are_chosen_by_whether_the_model_is_right() -> None:
    assert len(sizes(prepared_tiles(strata=["model_is"]))) == 1


def test_other_files_stay_as_they_are() -> None:
    assert len(sizes(prepared_tiles())) > 1


def test_pages_and_explanations_name_the_padded_files() -> None:
    prepared = prepared_tiles(strata=["model_is"])
    known = frozenset(prepared.files)
    for trial in prepared.materials.trials.values():
        if trial.block_id == "look":
            assert {*files_named_in(trial.params, known)} == {*files_named_in(trial.explanation, known)} != set()


def test_a_padded_picture_has_the_same_pixels() -> None:
    pixels = np.random.default_rng(1).integers(256, size=(9, 7, 3), dtype=np.uint8)
    content = picture_from_pixels(pixels).content
    padded = _with_size(content, len(content) + 500)
    assert len(padded) == len(content) + 500
    with Image.open(BytesIO(padded)) as opened:
        opened.load()
        assert np.array_equal(np.asarray(opened), pixels)


def test_photos_that_a_table_names_are_equally_long_in_every_format(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    endings = ["jpg", "jpeg", "gif", "webp", "png"] * 2
    for number, ending in enumerate(endings):
        pixels = rng.integers(256, size=(8 + 5 * number, 9, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{number}.{ending}")
    items = [
        {
            "content": {"photo": f"{number}.{ending}"},
            "attributes": {"model_is": ("right", "wrong")[number % 2], "answer": "yes"},
        }
        for number, ending in enumerate(endings)
    ]
    dataset = {"name": "listed", "params": {"items": items, "files": ["photo"]}}
    item_set = {"name": "cases", "n_items": 10, "strata": ["model_is"], "dataset": dataset}
    prepared = prepare(study_of(stage("look"), item_sets=[item_set]), tmp_path)
    assert len(prepared.files) == 10
    assert len(sizes(prepared)) == 1
    for address, content in prepared.files.items():
        assert isinstance(content, bytes)
        (tmp_path / address).write_bytes(content)
        assert picture_fault(tmp_path / address) is None
