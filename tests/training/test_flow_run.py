"""A whole run on small pictures: resumable, measured as it was stored, and refusing what cannot be done."""

import json
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.statistics.attribute_importance import importance

torch = pytest.importorskip("torch", reason="needs the extra torch")

from tests.training import squares  # noqa: E402
from tests.training.squares import SMALL, SMALL_CNN, SMALL_OBSERVER, square_rows, write_squares  # noqa: E402
from understudy.training.export import read_parts, write_parts  # noqa: E402
from understudy.training.flow_nets import PictureCnn  # noqa: E402
from understudy.training.flow_run import (  # noqa: E402  # noqa: E402
    FlowOrder,
    carry_out,
    ending_in,
    main,
    png_from_pixels,
    with_settings,
    write_grid,
)
from understudy.training.loop import WarmCosine  # noqa: E402
from understudy.training.picture_data import (  # noqa: E402  # noqa: E402
    PictureFolder,
    levels_to_values,
    world_named,
    write_attributes,
    write_pictures,
)
from understudy.training.picture_models import Effects, importance_numbers  # noqa: E402
from understudy.training.picture_training import (  # noqa: E402
    PictureRun,
    trained_flow,
    trained_picture_net,
)
from understudy.training.recipes import flow_recipe, picture_net_recipe  # noqa: E402

torch.set_num_threads(1)


def run_in(folder: Path, is_over: Callable[[], bool] = lambda: False) -> PictureRun:
    folder.mkdir(parents=True, exist_ok=True)
    return PictureRun(folder, is_over, lambda _progress, _more: None)


def order_in(folder: Path) -> FlowOrder:
    pictures = write_squares(PictureFolder(folder / "pictures"))
    return FlowOrder(SMALL, SMALL_CNN, SMALL_OBSERVER, pictures, folder / "state", folder / "out", torch.device("cpu"))


def weights_of(net: Any) -> Any:
    return torch.cat([value.flatten().double() for value in net.state_dict().values()])


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(tmp_path: Path) -> None:
    rows = square_rows(64)
    whole = trained_flow(SMALL, rows, run_in(tmp_path / "whole"))
    first = trained_flow(SMALL, rows, run_in(tmp_path / "parts", is_over=lambda: True))
    second = trained_flow(SMALL, rows, run_in(tmp_path / "parts"))
    assert (whole.is_finished, first.is_finished, second.is_finished) == (True, False, True)
    assert torch.equal(weights_of(second.flow), weights_of(whole.flow))
    assert not torch.equal(weights_of(first.flow), weights_of(whole.flow))


def test_a_rate_may_change_on_resuming_and_a_shape_may_not(tmp_path: Path) -> None:
    rows = square_rows(64)
    trained_flow(SMALL, rows, run_in(tmp_path, is_over=lambda: True))
    with pytest.raises(MaterialsError, match="was made with another widths"):
        trained_flow(replace(SMALL, widths=(8, 16)), rows, run_in(tmp_path))
    assert trained_flow(replace(SMALL, learning_rate=1e-5), rows, run_in(tmp_path)).is_finished


def test_learning_lowers_bits_and_finds_the_class(tmp_path: Path) -> None:
    rows = square_rows(400)
    recipe = replace(
        SMALL, n_epochs=4, steps_per_epoch=25, learning_rate=3e-3, head_rate=2e-2, class_weight=0.3, label_noise=0.0
    )
    losses: list[float] = []
    run = PictureRun(tmp_path, lambda: False, lambda progress, _more: losses.append(progress.loss))
    flow = trained_flow(recipe, rows, run).flow
    test = square_rows(300, seed=9)
    with torch.no_grad():
        is_correct = (flow.logits(levels_to_values(test.levels)) > 0) == (test.labels > 0.5)
    assert losses[-1] < losses[0] - 0.5
    assert float(is_correct.float().mean()) > 0.85


def test_an_observer_reads_attributes_in_their_own_units(tmp_path: Path) -> None:
    rows = square_rows(600)
    rows = replace(rows, attributes=rows.attributes * 10 + 5)
    recipe = replace(SMALL_OBSERVER, widths=(16, 16), n_epochs=5, steps_per_epoch=40, batch=32, learning_rate=5e-3)
    observer = trained_picture_net(recipe, rows, run_in(tmp_path))
    with torch.no_grad():
        seen = observer.attributes(levels_to_values(rows.levels))
    assert seen.shape == (600, 3)
    errors = (seen - rows.attributes).square().mean(0)
    assert float((errors / rows.attributes.var(0)).max()) < 0.3


def test_the_same_seed_makes_the_same_net(tmp_path: Path) -> None:
    rows = square_rows(64)
    one, two = (trained_picture_net(SMALL_CNN, rows, run_in(tmp_path / name)) for name in ("one", "two"))
    assert torch.equal(weights_of(one), weights_of(two))


def test_the_rate_rises_and_falls_to_nothing() -> None:
    rate = WarmCosine(n_warm=4, n_steps=100)
    shares = [float(rate()) for _ in range(100)]
    assert shares[0] == pytest.approx(0.25, abs=1e-3)
    assert max(shares) == shares[3]
    assert shares[-1] < 1e-3


def test_a_run_writes_results_grid_effects_and_weights(tmp_path: Path) -> None:
    order = order_in(tmp_path)
    results = carry_out(order, is_over=lambda: False, say=lambda _text: None)
    assert results["is_finished"]
    assert results["inverse_error"] < 1e-4
    assert results["realised"]["largest"] < 1e-3
    assert set(results["importance"]["flow"]) == set(results["moved"]) == set(squares.NAMES)
    assert json.loads((order.out / "results.json").read_text())["accuracy"].keys() == {"flow", "classifier"}
    assert (order.out / "grid.png").read_bytes()[:4] == b"\x89PNG"
    assert np.load(order.out / "effects.npz")["flow-changed-hue"].shape == (60,)
    assert sorted(path.name for path in order.out.glob("*.part")) == ["weights-0.part"]


def test_numbers_for_a_first_look_are_those_of_the_kernel() -> None:
    rng = np.random.default_rng(3)
    logits, moved = rng.normal(size=50), rng.normal(size=50)
    changed = logits + moved + rng.normal(size=50)
    quick = importance_numbers(Effects(logits, {"hue": changed}, {"hue": moved}, {}))["hue"]
    full = importance(logits, changed, moved, rng=rng, n_resamples=10)
    for name, value in quick.items():
        assert value == pytest.approx(getattr(full, name).value)


def test_parts_are_small_and_read_back_in_their_order(tmp_path: Path) -> None:
    net, other = (PictureCnn(8, (32, 32), 3) for _ in range(2))
    paths = write_parts({"net": net}, tmp_path, part_bytes=4000)
    assert len(paths) > 10
    assert max(path.stat().st_size for path in paths) <= 4000
    read_parts({"net": other}, tmp_path)
    np.testing.assert_allclose(weights_of(other), weights_of(net), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("n_left", "asked", "said"),
    [(0, "net", "There are no weights in"), (1, "net", "cannot be read"), (None, "flow", "lack flow. They have: net")],
)
def test_parts_that_cannot_be_read_are_refused(tmp_path: Path, n_left: int | None, asked: str, said: str) -> None:
    net = PictureCnn(8, (8, 8), 3)
    paths = write_parts({"net": net}, tmp_path, part_bytes=8000)
    for path in paths[len(paths) if n_left is None else n_left :]:
        path.unlink()
    with pytest.raises(MaterialsError, match=said):
        read_parts({asked: net}, tmp_path)


def test_a_png_has_the_pixels_it_was_given() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (3, 5, 3), dtype=np.uint8)
    content = png_from_pixels(pixels)
    assert struct.unpack(">II", content[16:24]) == (5, 3)
    start = content.index(b"IDAT")
    (size,) = struct.unpack(">I", content[start - 4 : start])
    lines = np.frombuffer(zlib.decompress(content[start + 4 : start + 4 + size]), np.uint8).reshape(3, 16)
    assert np.array_equal(lines[:, 1:].reshape(3, 5, 3), pixels)


def test_a_picture_library_opens_the_grid(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    levels = square_rows(4).levels.numpy()
    write_grid(tmp_path / "grid.png", levels[:2], np.stack([levels, levels]), zoom=1)
    with image.open(tmp_path / "grid.png") as opened:
        pixels = np.asarray(opened)
    assert np.array_equal(pixels[8:16, 24:32], levels[1])
    assert np.array_equal(pixels[:8, :8], levels[0])


def test_pixels_of_another_kind_are_refused() -> None:
    with pytest.raises(MaterialsError, match="Give uint8 values"):
        png_from_pixels(np.zeros((2, 2, 3)))  # type: ignore[arg-type]


def test_a_world_is_written_as_sets_and_clones(tmp_path: Path) -> None:
    folder, drawn = PictureFolder(tmp_path), world_named("tests.training.squares:world")
    write_attributes(drawn, folder, sizes={"train": 9, "test": 5, "unbiased": 7})
    assert folder.sets_without_pictures() == (
        "clone-backdrop", "clone-hue", "clone-place", "test", "train", "unbiased",
    )  # fmt: skip
    write_pictures(drawn, folder, n_pixels=8)
    assert folder.sets_without_pictures() == ()
    assert (folder.world, folder.attribute_names) == ("squares", drawn.attribute_names)
    test, clones = (folder.rows(name, torch.device("cpu")) for name in ("test", "clone-hue"))
    assert (len(test), len(folder.rows("train", torch.device("cpu")))) == (5, 9)
    assert torch.equal(test.attributes[:, [0, 2]], clones.attributes[:, [0, 2]])
    assert not torch.equal(test.attributes[:, 1], clones.attributes[:, 1])
    assert torch.equal(test.labels, clones.labels)


def test_attributes_can_be_drawn_on_one_machine_and_rendered_on_another(tmp_path: Path) -> None:
    words = ["--out", str(tmp_path), "--world", "tests.training.squares:world", "--n-train", "4", "--device", "cpu"]
    assert main([*words, "--n-test", "3", "--n-unbiased", "2", "--draw-only"]) == 0
    folder = PictureFolder(tmp_path / "state" / "pictures")
    assert folder.has_attributes
    assert (len(folder.attributes("train")), len(folder.sets_without_pictures())) == (4, 6)


def test_a_folder_of_pictures_from_before_worlds_had_names_is_read(tmp_path: Path) -> None:
    (tmp_path / "attributes.json").write_text('["legs", "hue"]')
    assert (PictureFolder(tmp_path).attribute_names, PictureFolder(tmp_path).world) == (("legs", "hue"), "")


@pytest.mark.parametrize("name", ["nowhere:world", "tests.training.squares:earth", "tests.training.squares:NAMES"])
def test_what_is_not_a_world_is_refused(name: str) -> None:
    with pytest.raises(MaterialsError, match=r"world"):
        world_named(name)


def test_settings_of_the_recipe_can_be_changed() -> None:
    recipe = with_settings(SMALL, ["class_weight=0.5", "widths=4,6", "batch=8"])
    assert (recipe.class_weight, recipe.widths, recipe.batch) == (0.5, (4, 6), 8)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("beta=1", "'beta=1' cannot be set"),
        ("name=x", "cannot be set"),
        ("batch=many", "'many' is not a value of batch"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused(setting: str, said: str) -> None:
    with pytest.raises(MaterialsError, match=said):
        with_settings(SMALL, [setting])


def test_a_last_run_ends_its_schedule_in_time(tmp_path: Path) -> None:
    (tmp_path / "seconds-per-epoch.json").write_text('{"seconds": 20.0, "n_done": 17}')
    assert ending_in(SMALL, tmp_path, 205).n_epochs == 27


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "batch=none"], "'none' is not a value of batch"),
        (["--final"], "the pace is unknown"),
        ([], "is not there. Write the pictures first"),
    ],
)
def test_a_command_that_cannot_be_carried_out_says_why(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["--out", str(tmp_path), "--device", "cpu", *words])
    told = capsys.readouterr().err
    assert status == 2
    assert said in told


def test_pictures_that_do_not_match_their_labels_are_refused(tmp_path: Path) -> None:
    folder = write_squares(PictureFolder(tmp_path), n=6)
    np.save(tmp_path / "train-labels.npy", np.zeros(5, np.uint8))
    with pytest.raises(MaterialsError, match="6 pictures, 6 rows of attributes and 5 labels"):
        folder.rows("train", torch.device("cpu"))


@pytest.mark.parametrize("named", [flow_recipe, picture_net_recipe])
def test_an_unknown_recipe_names_those_there_are(named: Callable[[str], object]) -> None:
    with pytest.raises(UnknownName, match="There are: sixt2022/inn-64"):
        named("sixt2022/inn-1024")


def test_a_run_needs_torch_and_numpy_alone() -> None:
    missing = ("pydantic", "scipy", "pandas", "onnx", "onnxruntime", "PIL", "numba", "joblib", "pyarrow")
    code = f"import sys; sys.modules.update(dict.fromkeys({missing})); import understudy.training.flow_run"
    subprocess.run([sys.executable, "-c", code], check=True)
