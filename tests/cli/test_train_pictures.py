"""`understudy train` for networks of pictures: draws the world, resumes, and writes files that others open."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.shell import understudy
from understudy.inference.onnx_models import observer_from_file
from understudy.models import TrainedClassifier

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")
pytest.importorskip("numba", reason="needs the extra scenes")

from understudy.training import recipes  # noqa: E402
from understudy.training.picture_data import PictureFolder  # noqa: E402
from understudy.training.picture_training import PictureRun, trained_picture_net  # noqa: E402

torch.set_num_threads(1)
QUICK = ("--pictures", 40, "--epochs", 1, "--max-steps", 1, "--device", "cpu")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


def test_a_classifier_of_pictures_is_ready_for_a_study(data: Path, tmp_path: Path) -> None:
    shown = understudy("train", "sixt2022/cnn-64", "--out", tmp_path, "--data", data, *QUICK)
    assert shown.code == 0
    assert "Right on: test" in shown.out
    model = TrainedClassifier(path=(tmp_path / "cnn-64.onnx").as_posix())
    card = model.opened().card
    assert (card.labels, card.size, card.provenance["max_steps"]) == (("Peeky", "Stretchy"), (3, 64, 64), 1)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".checkpoint"] == []


def test_an_observer_is_small_and_says_what_it_explains(data: Path, tmp_path: Path) -> None:
    shown = understudy("train", "observer-64", "--out", tmp_path, "--data", data, *QUICK, "--precision", "int8")
    assert shown.code == 0
    assert "Explained variance of: legs" in shown.out
    path = tmp_path / "observer-64.onnx"
    assert path.stat().st_size < 3_000_000
    observer = observer_from_file(path)
    assert observer.attributes[:2] == ("legs", "hue")
    assert len(observer.spreads) == len(observer.card.squared_errors) == 10


def test_pictures_that_are_there_are_not_drawn_again(data: Path, tmp_path: Path) -> None:
    understudy("train", "observer-64", "--out", tmp_path, "--data", data, *QUICK)
    (drawn,) = data.glob("sixt2022-code-64-40/unbiased-pictures.npy")
    before = drawn.stat().st_mtime_ns
    understudy("train", "observer-64", "--out", tmp_path / "again", "--data", data, *QUICK)
    assert drawn.stat().st_mtime_ns == before
    assert list(data.glob("sixt2022-code-64-40/*-shards")) == []


def test_an_invertible_network_is_stored_in_parts_and_asked_again(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = recipes.FlowRecipe("inn-64", n_pixels=64, n_steps=(1, 1), widths=(4, 4), n_epochs=1, batch=8)
    monkeypatch.setitem(recipes.PICTURE_RECIPES, "sixt2022/inn-64", small)
    shown = understudy("train", "sixt2022/inn-64", "--out", tmp_path, "--data", data, *QUICK)
    assert shown.code == 0
    assert {path.name for path in (tmp_path / "inn-64").iterdir()} == {"card.json", "weights-0.part"}
    asked = understudy("worlds", "importance", "sixt2022", "--model", tmp_path / "inn-64", "--n", 10)
    assert asked.code == 0
    assert "What inn-64 relies on in sixt2022" in asked.out


def test_an_interrupted_run_continues_where_it_stopped(data: Path, tmp_path: Path) -> None:
    words = ("train", "cnn-64", "--data", data, "--pictures", 40, "--max-steps", 1, "--epochs", 2, "--device", "cpu")
    assert understudy(*words, "--out", tmp_path / "whole").code == 0
    rows = PictureFolder(data / "sixt2022-code-64-40").rows("train", torch.device("cpu"))
    recipe = replace(recipes.picture_net_recipe("sixt2022/cnn-64"), n_epochs=2, steps_per_epoch=1)
    (tmp_path / "halves").mkdir()
    trained_picture_net(recipe, rows, PictureRun(tmp_path / "halves", lambda: True, lambda _progress, _more: None))
    assert understudy(*words, "--out", tmp_path / "halves", "--resume").code == 0
    first, second = (tmp_path / folder / "cnn-64.onnx" for folder in ("whole", "halves"))
    assert first.read_bytes() == second.read_bytes()


def test_what_an_earlier_run_left_is_not_overwritten_unasked(data: Path, tmp_path: Path) -> None:
    refused = understudy("train", "cnn-64", "--out", tmp_path, "--data", data, *QUICK, "--resume")
    assert refused.code == 2
    assert "Leave --resume out to start over." in refused.err
    (tmp_path / "cnn-64.checkpoint").write_bytes(b"left over")
    left = understudy("train", "cnn-64", "--out", tmp_path, "--data", data, *QUICK)
    assert left.code == 2
    assert "Continue it with --resume, or remove it." in left.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cnn-64", "--pictures", 10), "10 pictures were asked for. Ask for at least 40."),
        (("sinelines-vae", "--pictures", 100), "--pictures is for networks that learn from drawn pictures"),
        (("inn-64", "--precision", "int8"), "its weights are stored in 16 bits. Leave it out."),
        (("cnn-64", "--split", "paper"), "--split cannot be used with 'cnn-64': its pictures are drawn"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, words: tuple[str | int, ...], said: str) -> None:
    shown = understudy("train", *words, "--out", tmp_path, "--data", tmp_path)
    assert shown.code == 2
    assert said in shown.err


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shown = understudy("train", "cnn-64", "--out", tmp_path, "--data", tmp_path / "file")
    assert shown.code == 2
    assert "is a file, and pictures need a folder" in shown.err
