"""`understudy train` with a user's own photos: networks, the lists of photos, studies made of them, and refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.shell import understudy
from understudy import save
from understudy.models import MapModel
from understudy.protocols import Kim2022, kim2022, trained_photos
from understudy.schema import Ref

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from understudy.training.map_recipes import map_recipe, tree_depth  # noqa: E402

COLOURS = {"Aa": (210, 60, 50), "bee": (60, 190, 60), "Cat": (60, 70, 210), "dé": (200, 190, 50), "Emu": (190, 60, 190)}
N_EACH = 30


def photos_in(folder: Path, n_each: int = N_EACH) -> Path:
    """Write photos of several sizes, more or less of the colour of their class."""
    rng = np.random.default_rng(8)
    for kind, colour in COLOURS.items():
        (folder / kind).mkdir(parents=True)
        for number in range(n_each):
            pixels = rng.normal(140, 20, size=(40 + number % 3 * 8, 44, 3))
            top, left = rng.integers(2, 18, size=2)
            pixels[top : top + 20, left : left + 20] = np.array(colour) + rng.normal(scale=70, size=3)
            Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(folder / kind / f"IMG {number}.PNG")
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photos and a network of prototypes that learned from some of them."""
    folder = tmp_path_factory.mktemp("own")
    photos = photos_in(folder / "photos")
    words = ("--data", photos, "--out", folder / "models", "--epochs", 3, "--seed", 1)
    shown = understudy("train", "kim2022/small-photos-protopnet", *words)
    assert shown.code == 0, shown.err
    assert "Right on: test" in shown.out
    return folder


def test_the_lists_name_each_photo_once_and_share_none(trained: Path) -> None:
    model = trained / "models" / "small-photos-protopnet"
    learned, held_out = (pd.read_csv(model / f"{part}.csv") for part in ("train", "test"))
    assert [len(learned), len(held_out)] == [90, 60]
    assert not {*learned["path"]} & {*held_out["path"]}
    assert {*held_out["label"]} == {*COLOURS} == {*MapModel(folder=str(model)).card.labels}
    assert all((trained / "photos" / path).is_file() for path in [*learned["path"], *held_out["path"]])


def test_every_prototype_shows_a_photo_to_learn_from(trained: Path) -> None:
    model = trained / "models" / "small-photos-protopnet"
    learned = pd.read_csv(model / "train.csv")
    for prototype in MapModel(folder=str(model)).card.prototypes:
        assert learned["label"][prototype.training_index] == prototype.label
        with Image.open(trained / "photos" / learned["path"][prototype.training_index]) as photo:
            side = min(photo.size)
            middle = np.asarray(photo.convert("RGB").resize((8, 8), box=_middle(photo.size, side)), dtype=float)
        with Image.open(model / prototype.source) as shown:
            assert np.abs(np.asarray(shown.resize((8, 8)), dtype=float) - middle).mean() < 6


def _middle(size: tuple[int, int], side: int) -> tuple[float, float, float, float]:
    left, top = (size[0] - side) / 2, (size[1] - side) / 2
    return left, top, left + side, top + side


def test_a_study_of_own_photos_with_prototypes_is_sound(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trained)
    data = trained_photos("own", "photos", "models/small-photos-protopnet", noun="kind", plural="kinds")
    assert data.n_classes == 5
    study = kim2022(method="protopnet", task="agreement", data=data, choices=Kim2022(n_sets=1))
    save(study, "own.toml")
    checked = understudy("check", "own.toml")
    assert checked.code == 0, checked.err
    assert "Stated" not in checked.out


def test_a_model_of_fixed_pictures_has_no_lists_of_own_photos(trained: Path) -> None:
    folder = Path(Path(__file__).parents[2], "src/understudy/protocols/kim2022/material/protopnet")
    with pytest.raises(Exception, match=r"has no train\.csv and no test\.csv, so that nobody knows"):
        trained_photos("own", trained / "photos", folder)


def test_without_a_folder_of_photos_one_sentence_asks_for_it(tmp_path: Path) -> None:
    shown = understudy("train", "photos-prototree", "--out", tmp_path)
    assert shown.code != 0
    assert "learns from your own photos" in shown.err


def _one_class(folder: Path) -> None:
    photos_in(folder)
    for kind in [*COLOURS][1:]:
        (folder / kind).rename(folder.parent / kind)


def _few(folder: Path) -> None:
    photos_in(folder, 5)
    content = (folder / "bee" / "IMG 0.PNG").read_bytes()
    for file in (folder / "bee").iterdir():
        file.write_bytes(content)


def _unshown(folder: Path) -> None:
    photos_in(folder, 5)
    (folder / "bee" / "IMG 0.PNG").rename(folder / "bee" / "IMG 0.HEIC")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda _: None, "There is no folder"),
        (lambda folder: folder.mkdir(), "has no pictures"),
        (_one_class, "photos of one class only, 'Aa'"),
        (_few, "fewer than 4 different photos cannot be learned and tested: 'bee' (1)"),
        (_unshown, "'bee/IMG 0.HEIC' is a photo that not every browser shows. Convert it"),
    ],
)
def test_folders_that_cannot_be_learned_from(spoil: Any, sentence: str, tmp_path: Path) -> None:
    spoil(tmp_path / "photos")
    shown = understudy("train", "small-photos-cnn", "--data", tmp_path / "photos", "--out", tmp_path / "models")
    assert shown.code != 0
    assert sentence in shown.err
    assert "Traceback" not in shown.err


def test_other_photos_are_not_learned_with_what_the_first_left(trained: Path, tmp_path: Path) -> None:
    """Epochs of the network that prototypes start from are counted again: it may know other photos."""
    others = photos_in(tmp_path / "others", 5)
    (others / "Emu").rename(tmp_path / "Emu")
    words = ("--data", others, "--out", trained / "models", "--epochs", 1, "--seed", 1)
    assert understudy("train", "kim2022/small-photos-bagnet", *words).code == 0
    card = MapModel(folder=str(trained / "models" / "small-photos-bagnet")).card
    assert card.labels == ("Aa", "Cat", "bee", "dé")
    assert card.receptive_px == 33


def test_trees_are_as_deep_as_their_classes_need() -> None:
    recipe = map_recipe("photos-prototree")
    assert [tree_depth(recipe, n) for n in (4, 7, 12, 37, 200)] == [4, 5, 6, 8, 10]
    assert [map_recipe(f"{name}-prototree").depth for name in ("creatures", "pets")] == [6, 8]


def test_a_study_file_takes_the_lists(trained: Path) -> None:
    data = trained_photos("own", trained / "photos", trained / "models" / "small-photos-protopnet")
    assert isinstance(data.examples, Ref)
    assert str(data.examples.params["table"]).endswith("train.csv")
    assert str(data.dataset.params["table"]).endswith("test.csv")
    assert data.dataset.params["edge"] == 96
