"""The material of ready studies: enough right and wrong photos of every method, no more, in folders named by label."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.protocols.kim2022.stand_ins import LABELS, write_model, write_photos
from understudy.datasets import PictureFolder
from understudy.errors import MaterialsError
from understudy.models.trained_models import MapModel
from understudy.protocols.kim2022 import make_material
from understudy.protocols.kim2022.make_material import answered, chosen_photos, write_agreed
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
    assert is_right.sum() >= 12
    assert (~is_right).sum() == 8


def test_photos_of_one_method_serve_the_next(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    pictures, labels = drawn
    model = model_of(tmp_path / "maps", "class_maps")
    first = chosen_photos(model, pictures, labels)
    assert chosen_photos(model, pictures, labels, already=first) == first


def test_photos_are_written_to_a_folder_for_each_label(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    write_model(tmp_path / "maps", "class_maps")
    n = write_material_photos([tmp_path / "maps"], *drawn, tmp_path / "photos")
    assert len([*(tmp_path / "photos").rglob("*.png")]) == n >= 20
    assert {path.name for path in (tmp_path / "photos").iterdir()} <= {*LABELS}


def test_predicted_classes_have_as_many_right_photos_as_wrong_ones_where_there_are_enough(
    drawn: tuple[Pixels, list[str]], tmp_path: Path
) -> None:
    pictures, labels = drawn
    model = model_of(tmp_path / "maps", "class_maps")
    said = answered(model, pictures, labels)
    chosen = chosen_photos(model, pictures, labels)
    counts = Counter((said.answers[number], said.is_right[number]) for number in chosen)
    there = Counter(zip(said.answers, said.is_right, strict=True))
    for answer in LABELS:
        assert counts[answer, True] >= min(counts[answer, False], there[answer, True])


def test_photos_that_all_networks_answer_alike_are_half_right(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    pictures, labels = drawn
    networks = [tmp_path / name for name in ("class_maps", "prototypes")]
    models = [model_of(folder, folder.name) for folder in networks]
    n = write_agreed(networks, pictures, labels, tmp_path / "photos")
    table = PictureFolder(folder=str(tmp_path / "photos"), table=str(tmp_path / "agreed.csv")).whole()
    assert table.pictures is not None
    agreed = table.pictures.read(range(n))
    own = [str(label) for label in table.attributes["label"]]
    first, second = (answered(model, agreed, own) for model in models)
    assert first.answers == second.answers
    assert 2 * sum(first.is_right) == n > 0


def test_too_few_mistakes_are_a_sentence(drawn: tuple[Pixels, list[str]], tmp_path: Path) -> None:
    pictures, labels = drawn
    model = model_of(tmp_path / "maps", "class_maps")
    with pytest.raises(MaterialsError, match=r"photos that are right, but 12 are needed. Draw more creatures"):
        chosen_photos(model, pictures[:9], labels[:9])
