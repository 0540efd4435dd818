"""Picture classifiers of your own: the file answers as the module does, and each misfit gets one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers.stage import picture_inputs, picture_sample
from understudy.errors import MaterialsError
from understudy.models import OnnxClassifier, export_picture_classifier
from understudy.roles import Sample
from understudy.sources.picture_pools import answers_to_pool

torch = pytest.importorskip("torch", reason="torch is not installed")
LABELS = ("cat", "dog")


def net(n_channels: int = 3, *, n_outputs: int = 2, ends: tuple[Any, ...] = ()) -> Any:
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Conv2d(n_channels, 4, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
        torch.nn.Linear(4, n_outputs), *ends,
    )  # fmt: skip


def exported(folder: Path, module: Any, pictures: Sample | None = None, **options: Any) -> OnnxClassifier:
    options = {"labels": LABELS, "outputs": "logits", **options}
    ref = export_picture_classifier(module, folder / "net", pictures or picture_sample(), **options)
    return OnnxClassifier(**ref.params)


def probabilities(module: Any, rows: Any) -> Any:
    with torch.no_grad():
        return torch.softmax(module(torch.tensor(rows).float()), dim=1).numpy()


def test_the_file_answers_to_a_pool_in_batches_as_the_module_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("understudy.sources.picture_pools.BATCH_BYTES", 8 * 3 * 8 * 10 * 7)
    module, pictures = net(), picture_sample()
    assert pictures.pictures is not None
    answers = answers_to_pool(exported(tmp_path, module), pictures.pictures, 0, 20)
    assert answers == pytest.approx(probabilities(module, picture_inputs()), abs=1e-5)


def test_mean_and_std_become_part_of_the_file(tmp_path: Path) -> None:
    module, rows = net(), picture_inputs()
    mean, std = np.array([0.4, 0.5, 0.6]), np.array([0.2, 0.25, 0.3])
    answers = exported(tmp_path, module, mean=mean, std=std).predict(rows)
    scaled = (rows - mean.reshape(3, 1, 1)) / std.reshape(3, 1, 1)
    assert answers == pytest.approx(probabilities(module, scaled), abs=1e-5)


def test_grey_pictures_have_one_channel(tmp_path: Path) -> None:
    assert exported(tmp_path, net(1), picture_sample(n_channels=1)).predict(np.zeros((2, 1, 8, 10))).shape == (2, 2)


def test_a_file_that_is_onnx_already_is_taken(tmp_path: Path) -> None:
    exported(tmp_path, net())
    assert exported(tmp_path / "again", tmp_path / "net.onnx").predict(picture_inputs()).shape == (20, 2)


@pytest.mark.parametrize(
    ("module", "options", "said"),
    [
        (net(), {"outputs": "foo"}, r"outputs = 'foo' does not say what the model gives\. Choose from: probabilities, logits"),
        (net(1), {}, r"takes grey pictures \(one channel\), but these are colour pictures \(three channels\)\. Average"),
        (net(), {"outputs": "probabilities"}, "look like logits. Put a softmax after them, or say outputs = 'logits'"),
        (net(n_outputs=3), {}, r"returned the shape \(4, 3\) for 4 inputs and 2 labels"),
        (net(n_outputs=1), {}, "returned one number for each input"),
        (net(), {"labels": ()}, "Give labels, in the order of its outputs"),
        (net(), {"mean": (0.5,), "std": (0.2,)}, "but the pictures have 3 channels. Give both"),
        (net(), {"mean": (0.5,) * 3, "std": (0.0,) * 3}, "no `std` that is 0 or less"),
        (torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 2)), {}, "set `edge` of the folder to the size"),
        ("gone.onnx", {}, "gone.onnx is not a file"),
        (len, {}, "cannot become a classifier of pictures"),
        ({"weight": 1}, {}, r"weights of a module: build its class again .* ONNX file is accepted too"),
        (torch.nn.Sequential(net(), torch.nn.Softmax(1)), {}, "look like probabilities. Say outputs = 'probabilities'"),
        (net().half(), {}, r"weights of torch.float16, .* Call module.float\(\) first"),
    ],
    ids=["foo outputs", "grey", "logits", "labels", "one", "unnamed", "means", "zero", "size", "gone", "kind", "weights",
         "probabilities", "half"],
)  # fmt: skip
def test_a_model_that_does_not_fit_is_refused_in_one_sentence(
    module: Any, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(MaterialsError, match=said):
        exported(tmp_path, module, **options)
    assert not [*tmp_path.glob("*.onnx")]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch deprecates TorchScript, which people still have
def test_a_scripted_module_answers_like_the_module(tmp_path: Path) -> None:
    expected = exported(tmp_path, net()).predict(picture_inputs())
    scripted = exported(tmp_path / "scripted", torch.jit.script(net()))
    assert scripted.predict(picture_inputs()) == pytest.approx(expected, abs=1e-6)


def test_a_module_for_colours_is_refused_for_grey_pictures(tmp_path: Path) -> None:
    with pytest.raises(
        MaterialsError, match=r"takes colour pictures \(three channels\), but these are grey .* x\.expand"
    ):
        exported(tmp_path, net(), picture_sample(n_channels=1))


def test_a_module_for_a_fixed_number_of_pictures_is_refused(tmp_path: Path) -> None:
    class Fixed(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, pictures: Any) -> Any:
            return pictures.mean((2, 3)).reshape(4, 3)[:, :2]

    with pytest.raises(MaterialsError, match=r"failed on inputs of the shape \(1, 3, 8, 10\)"):
        exported(tmp_path, Fixed())


def test_rows_of_a_table_are_not_pictures(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"Give picture_folder or picture_array \.whole\(\)"):
        exported(tmp_path, net(), Sample([{}], {}, np.zeros((1, 4))))
