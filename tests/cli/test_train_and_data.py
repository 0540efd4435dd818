"""`understudy train` and `understudy data`, as their user meets them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.shell import understudy
from understudy.inference import decoder_from_file, shipped_decoder
from understudy.inference.model_folders import SHELF
from understudy.roles import Floats
from understudy.training.recipes import decoder_recipe

onnx = pytest.importorskip("onnx", reason="needs the extra torch")


@pytest.mark.parametrize("name", ["practice-disc", "practice-shape", "sinelines-gt"])
def test_the_shipped_closed_forms_come_out_of_the_command(name: str, tmp_path: Path) -> None:
    shown = understudy("train", f"ross2021/{name}", "--out", tmp_path)
    assert (shown.code, shown.err) == (0, "")
    for ending in ("onnx", "json"):
        assert (tmp_path / f"{name}.{ending}").read_bytes() == (SHELF / f"{name}.{ending}").read_bytes()


def test_a_trained_decoder_is_ready_for_a_study(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra torch")
    shown = understudy("train", "ross2021/sinelines-vae", "--out", tmp_path, "--epochs", 1, "--max-steps", 3)
    assert shown.code == 0
    assert "Held-out squared error" in shown.out
    card = decoder_from_file(tmp_path / "sinelines-vae.onnx").card
    assert (len(card.codes), len(card.dials), "mig" in card.provenance) == (192, 5, True)
    assert [path.suffix for path in tmp_path.iterdir() if path.suffix not in {".onnx", ".json"}] == []


def test_an_interrupted_run_is_not_overwritten_unasked(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra torch")
    (tmp_path / "sinelines-vae.checkpoint").write_bytes(b"left over")
    shown = understudy("train", "sinelines-vae", "--out", tmp_path)
    assert shown.code == 2
    assert "Continue it with --resume, or remove it." in shown.err


def test_nothing_to_resume_is_said(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra torch")
    shown = understudy("train", "sinelines-vae", "--out", tmp_path, "--resume")
    assert shown.code == 2
    assert "Leave --resume out to start over." in shown.err


def test_an_interrupted_run_continues_where_it_stopped(tmp_path: Path) -> None:
    run = pytest.importorskip("understudy.training.decoders", reason="needs the extra torch")
    short = ("--max-steps", 2, "--seed", 3)
    whole = understudy("train", "sinelines-ae", "--out", tmp_path / "whole", "--epochs", 2, *short)
    (tmp_path / "halves").mkdir()
    recipe = replace(decoder_recipe("sinelines-ae"), n_epochs=1, seed=3)
    options = run.RunOptions(max_steps=2, checkpoint=tmp_path / "halves" / "sinelines-ae.checkpoint")
    run.trained_decoder(recipe, options)
    resumed = understudy("train", "sinelines-ae", "--out", tmp_path / "halves", "--epochs", 2, *short, "--resume")
    assert (whole.code, resumed.code) == (0, 0)
    first, second = (tmp_path / folder / "sinelines-ae.onnx" for folder in ("whole", "halves"))
    assert first.read_bytes() == second.read_bytes()


def test_an_unknown_recipe_names_what_can_be_trained(tmp_path: Path) -> None:
    shown = understudy("train", "sinelines-gan", "--out", tmp_path)
    assert shown.code == 2
    assert (
        "There is nothing to train under 'sinelines-gan'. Did you mean 'ross2021/sinelines-gt'? There are: ross2021/dsprites-ae"
        in shown.err
    )


def test_missing_data_say_how_to_get_them(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra torch")
    shown = understudy("train", "mnist-ae5", "--out", tmp_path, "--data", tmp_path / "empty")
    assert shown.code == 2
    assert "Run: understudy data get mnist" in shown.err


@pytest.mark.parametrize(
    ("name", "file", "content", "fault"),
    [
        ("sinelines-ae", "none.npy", None, "There is no file"),
        ("sinelines-ae", "z.csv", b"1,2", "ends in '.csv'; sinelines-ae learns from a .npy file."),
        ("dsprites-ae", "z.npy", b"1,2", "ends in '.npy'; dsprites-ae learns from a .npz file."),
        ("sinelines-ae", "z.npy", b"1,2", "is not a file of numbers, or is damaged. Write it with numpy.save."),
        ("sinelines-ae", "z.npy", np.zeros((30, 4)), "holds 30 x 4 numbers; factors of Sinelines are at least 20 rows of 5"),
        ("sinelines-ae", "z.npy", np.full((30, 5), np.nan), "holds values that are not finite."),
    ],
)  # fmt: skip
def test_a_wrong_file_of_data_gets_a_sentence(
    tmp_path: Path, name: str, file: str, content: bytes | Floats | None, fault: str
) -> None:
    pytest.importorskip("torch", reason="needs the extra torch")
    path = tmp_path / file
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.save(path, content)
    shown = understudy("train", name, "--out", tmp_path / "out", "--data", path)
    assert shown.code == 2
    assert fault in shown.err


def test_the_list_says_what_is_there(tmp_path: Path) -> None:
    shown = understudy("data", "list", "--folder", tmp_path)
    assert shown.code == 0
    assert "mnist: not there; run: understudy data get mnist" in shown.out.splitlines()


def test_the_list_tells_other_files_from_none(tmp_path: Path) -> None:
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text("39, State-gov", encoding="utf-8")
    shown = understudy("data", "list", "--folder", tmp_path)
    assert f"adult: not as it was published in {tmp_path / 'adult'}; run: understudy data get adult" in shown.out


def test_the_truth_of_the_sinelines_draws_from_our_own_generator() -> None:
    card = shipped_decoder("sinelines-gt").card
    assert len(card.codes) == 250
    assert all(dial.low <= code[place] <= dial.high for code in card.codes for place, dial in enumerate(card.dials))
