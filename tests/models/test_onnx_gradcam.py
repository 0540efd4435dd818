"""GradCAM of ONNX files with a linear head: equal to that of the torch module, and one sentence for other files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers.stage import LABELS, picture_inputs, picture_sample
from understudy.errors import MaterialsError
from understudy.models import export_picture_classifier, gradcam_maps, onnx_gradcam_maps

torch = pytest.importorskip("torch", reason="needs the extra torch")
N = 20


class Means(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Averages over places by arithmetic and not by a layer."""

    def forward(self, features: Any) -> Any:
        return features.mean((2, 3))


def body() -> list[Any]:
    torch.manual_seed(3)
    return [
        torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.BatchNorm2d(6), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(6, 8, 3, padding=1), torch.nn.ReLU(),
    ]  # fmt: skip


def pooled(*head: Any) -> Any:
    return torch.nn.Sequential(*body(), torch.nn.AdaptiveAvgPool2d(1), *head)


def heads() -> dict[str, Any]:
    torch.manual_seed(4)
    linear, flat = torch.nn.Linear(8, 2), torch.nn.Flatten()
    return {
        "flattened": pooled(flat, linear),
        "dropout": pooled(flat, torch.nn.Dropout(), linear),
        "mean": torch.nn.Sequential(*body(), Means(), linear),
        "no bias": pooled(flat, torch.nn.Linear(8, 2, bias=False)),
        "convolution": pooled(torch.nn.Conv2d(8, 2, 1), flat),
    }


def written(module: Any, folder: Path, outputs: Any = "logits") -> Path:
    labels = [*LABELS]
    export_picture_classifier(module, folder / "net", picture_sample(), labels=labels, outputs=outputs)
    return folder / "net.onnx"


@pytest.mark.parametrize("head", [*heads()])
def test_maps_equal_those_of_the_torch_module(head: str, tmp_path: Path) -> None:
    module, targets = heads()[head], [k % 2 for k in range(N)]
    path = written(module, tmp_path)
    for wanted in (targets, 1, None):
        expected = gradcam_maps(module, "5", picture_sample(), wanted)
        assert expected.max() > 0
        assert onnx_gradcam_maps(path, picture_sample(), wanted) == pytest.approx(expected, abs=1e-5)


def test_a_softmax_at_the_end_leaves_the_maps_of_the_logits(tmp_path: Path) -> None:
    module = heads()["flattened"]
    path = written(torch.nn.Sequential(module, torch.nn.Softmax(1)), tmp_path, "probabilities")
    expected = gradcam_maps(module, "5", picture_sample(), 0)
    assert onnx_gradcam_maps(path, picture_sample(), 0) == pytest.approx(expected, abs=1e-5)


def test_a_file_for_one_picture_at_a_time_gives_the_same_maps(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = written(heads()["flattened"], tmp_path)
    expected = onnx_gradcam_maps(path, picture_sample(), 1)
    model = onnx.load_model(path)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save_model(model, path)
    assert onnx_gradcam_maps(path, picture_sample(), 1) == pytest.approx(expected, abs=1e-6)


def unpooled() -> Any:
    n = 8 * (picture_inputs().shape[2] // 2) * (picture_inputs().shape[3] // 2)
    return torch.nn.Sequential(*body(), torch.nn.Flatten(), torch.nn.Linear(n, 2))


@pytest.mark.parametrize(
    "module",
    [
        unpooled,
        lambda: torch.nn.Sequential(*body(), torch.nn.AdaptiveMaxPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 2)),
        lambda: pooled(torch.nn.Flatten(), torch.nn.Linear(8, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)),
    ],
    ids=["every place has its own weight", "largest place", "two layers"],
)
def test_other_heads_are_refused_with_what_to_do(module: Any, tmp_path: Path) -> None:
    path = written(module(), tmp_path)
    with pytest.raises(
        MaterialsError, match=r"does not end in a linear layer over the average .* `occlusion` or `rise`"
    ):
        onnx_gradcam_maps(path, picture_sample())


def test_what_is_asked_wrongly_is_named(tmp_path: Path) -> None:
    path = written(heads()["flattened"], tmp_path)
    with pytest.raises(MaterialsError, match=r"has no output 'scores'\. It has: outputs"):
        onnx_gradcam_maps(path, picture_sample(), output="scores")
    with pytest.raises(MaterialsError, match="class number 7, but the model has 2 outputs"):
        onnx_gradcam_maps(path, picture_sample(), 7)
    with pytest.raises(MaterialsError, match="is not a file"):
        onnx_gradcam_maps(tmp_path / "gone.onnx", picture_sample())
    path.write_bytes(np.arange(50, dtype=np.uint8).tobytes())
    with pytest.raises(MaterialsError, match="is not an ONNX model that can be run"):
        onnx_gradcam_maps(path, picture_sample())
