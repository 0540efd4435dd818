"""`understudy train` for networks with maps: lists them, writes a folder that others open, resumes, and refuses."""

from pathlib import Path

import pytest

from tests.shell import understudy
from understudy.schema.model_cards import MapModelCard

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from tests.training.toy_pictures import LABELS, toy_rows  # noqa: E402
from understudy.training import map_models  # noqa: E402
from understudy.training.map_pictures import LabelledPictures, PictureParts  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def toy_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    train, test = (
        LabelledPictures(rows.levels.movedim(1, 3).contiguous().numpy(), rows.labels.numpy())
        for rows in (toy_rows(24), toy_rows(6, 1))
    )
    parts = PictureParts(train, test, LABELS, "MIT")
    monkeypatch.setattr(map_models, "picture_parts", lambda _recipe, _data: parts)


def test_a_network_with_maps_is_written_as_a_folder(tmp_path: Path) -> None:
    shown = understudy("train", "kim2022/creatures-cnn", "--out", tmp_path, "--epochs", 1, "--seed", 3)
    assert shown.code == 0
    assert "Right on: test" in shown.out
    card = MapModelCard.model_validate_json((tmp_path / "creatures-cnn" / "card.json").read_text())
    recipe = card.training["recipe"]
    assert isinstance(recipe, dict)
    assert (card.method, recipe["seed"], recipe["n_epochs"]) == ("class_maps", 3, 1)


def test_prototypes_come_with_their_photos(tmp_path: Path) -> None:
    shown = understudy("train", "creatures-protopnet", "--out", tmp_path, "--epochs", 1)
    assert shown.code == 0
    assert list((tmp_path / "creatures-protopnet").glob("photo-*.png"))
    assert (tmp_path / "creatures-cnn" / "model.onnx").is_file()


def test_all_recipes_of_kim2022_are_listed() -> None:
    shown = understudy("train", "kim2022/unknown")
    assert shown.code != 0
    for name in ("cnn", "bagnet", "protopnet", "prototree"):
        assert f"kim2022/creatures-{name}" in shown.err
    for name in ("classifier", "bag-of-crops", "protopnet", "prototree"):
        assert f"kim2022/pets-{name}" in shown.err


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    for words, reason in (
        (("--device", "cuda"), "no graphics card"),
        (("--split", "paper"), "is for classifiers"),
        (("--resume",), "to continue from"),
    ):
        shown = understudy("train", "kim2022/creatures-cnn", "--out", tmp_path, *words)
        assert shown.code != 0
        assert reason in shown.err
