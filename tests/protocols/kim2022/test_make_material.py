"""The material of ready studies: enough right and wrong photos of every method, no more, in folders named by label."""

from pathlib import Path

import numpy as np
import pytest

from tests.protocols.kim2022.stand_ins import LABELS, write_model, write_photos
from understudy.datasets import PictureFolder
from understudy.errors import MaterialsError
from understudy.models.map_model import MapModel
from understudy.protocols.kim2022 import make_material
from understudy.protocols.kim2022.make_material import chosen_photos
from understudy.protocols.kim2022.make_material import write_photos as write_material_photos
from understudy.roles import Pixels


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_material, "N_RIGHT", 12)
    monkeypatch.setattr(make_material, "N_WRONG", 8)


@pytest.fixture
def drawn(tmp_path: Path) -> tuple[Pixels, list[str]]:
    write_photos(tmp_path / "all", 90)
    sample = PictureFolder(folder=str(tmp_path / "all")).whole()
    assert sample.pictures is not None
    return sample.pictures.read(range(90)), [str(label) for label in sample.attributes["label"]]


def model_of(folder: Path, method: str) -> MapModel:
    write_model(folder, method)
    return MapModel(folder=str(folder))


def test_enough_right_and_wrong_photos_are_chosen(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    pictures, labels = drawn
    model = model_of(tmp_path / "maps", "class_maps")
    chosen = sorted(chosen_photos(model, pictures, labels))
    answers = model.predict(pictures[chosen].transpose(0, 3, 1, 2) / 255).argmax(axis=1)
    is_right = np.array([LABELS[k] == labels[number] for k, number in zip(answers, chosen, strict=True)])
    assert (is_right.sum(), (~is_right).sum()) == (12, 8)


def test_photos_of_one_method_serve_the_next(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    pictures, labels = drawn
    model = model_of(tmp_path / "maps", "class_maps")
    first = chosen_photos(model, pictures, labels)
    assert chosen_photos(model, pictures, labels, already=first) == first


def test_photos_are_written_to_a_folder_for_each_label(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    write_model(tmp_path / "maps", "class_maps")
    n = write_material_photos([tmp_path / "maps"], *drawn, tmp_path / "photos")
    assert len([*(tmp_path / "photos").rglob("*.png")]) == n == 20
    assert {path.name for path in (tmp_path / "photos").iterdir()} <= {*LABELS}


def test_too_few_mistakes_are_a_sentence(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    pictures, labels = drawn
    model = model_of(tmp_path / "maps", "class_maps")
    with pytest.raises(MaterialsError, match=r"photos that are right, and 12 are wanted. Draw more creatures"):
        chosen_photos(model, pictures[:9], labels[:9])
