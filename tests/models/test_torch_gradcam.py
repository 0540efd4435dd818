"""GradCAM of torch modules: equal to captum's, and one sentence for what has no gradients."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers.stage import LABELS, PictureFormula, picture_inputs, picture_sample
from understudy.errors import MaterialsError
from understudy.explainers import RecordedHeatmaps, record_heatmaps
from understudy.models import gradcam_maps
from understudy.schema import Heatmap

torch = pytest.importorskip("torch", reason="needs the extra torch")


def network(seed: int = 1) -> Any:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(6, 8, 3, padding=1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 2),
    )  # fmt: skip


@pytest.mark.parametrize("layer", ["0", "3", "4"])
def test_maps_equal_those_of_captum(layer: str) -> None:
    attr = pytest.importorskip("captum.attr", reason="needs captum")
    module, targets = network(), [k % 2 for k in range(20)]
    rows = torch.from_numpy(picture_inputs()).float()
    method = attr.LayerGradCam(module, dict(module.named_modules())[layer])
    expected = method.attribute(rows, torch.tensor(targets), relu_attributions=True)[:, 0].detach().numpy()
    assert gradcam_maps(module, layer, picture_sample(), targets) == pytest.approx(expected, abs=1e-5)


def test_of_a_linear_head_maps_are_the_positive_part_of_its_class_map() -> None:
    module = network()
    maps = gradcam_maps(module, module[4], picture_sample(), 1)
    with torch.no_grad():
        features = module[:5](torch.from_numpy(picture_inputs()).float())
        weighed = torch.einsum("nchw,c->nhw", features, module[7].weight[1])
    # The gradient of a mean over places is the weight divided by their number.
    assert maps * features.shape[2] * features.shape[3] == pytest.approx(torch.relu(weighed).numpy(), abs=1e-5)


def test_by_default_the_largest_output_is_explained() -> None:
    module = network()
    with torch.no_grad():
        answers = module(torch.from_numpy(picture_inputs()).float()).argmax(dim=1).tolist()
    assert (gradcam_maps(module, "4", picture_sample()) == gradcam_maps(module, "4", picture_sample(), answers)).all()


def test_frozen_weights_and_training_mode_are_left_as_they_were() -> None:
    module = network().train()
    expected = gradcam_maps(module, "3", picture_sample(), 0)
    for weight in module.parameters():
        weight.requires_grad_(False)
    assert gradcam_maps(module, "3", picture_sample(), 0) == pytest.approx(expected, abs=1e-6)
    assert module.training
    assert not module[3]._forward_hooks


def test_maps_can_be_recorded_and_shown(tmp_path: Path) -> None:
    maps = gradcam_maps(network(), "4", picture_sample(), 1)
    ref = record_heatmaps(tmp_path / "maps.npz", picture_sample(), maps, toward=LABELS[1])
    found = RecordedHeatmaps.model_validate(ref.params).explain(
        PictureFormula(), picture_inputs(3), None, np.random.default_rng(1)
    )
    assert all(isinstance(explanation, Heatmap) and not explanation.is_signed for explanation in found.explanations)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("net.onnx", "Give the nn.Module that it came from"),
        (Path("net.onnx"), "take `occlusion` or `rise`"),
        (7, "Give a torch module"),
        ({"weight": 1}, "build its class again and call `load_state_dict` with them"),
    ],
)
def test_what_has_no_gradients_is_refused(given: Any, advice: str) -> None:
    with pytest.raises(MaterialsError, match=f"GradCAM needs gradients.*{advice}"):
        gradcam_maps(given, "3", picture_sample())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch deprecates TorchScript, which people still have
@pytest.mark.parametrize("form", ["script", "trace"])
def test_torchscript_is_told_which_module_is_taken(form: str) -> None:
    rows = torch.from_numpy(picture_inputs()).float()
    scripted = torch.jit.script(network()) if form == "script" else torch.jit.trace(network(), rows)
    with pytest.raises(
        MaterialsError, match=r"TorchScript does not let it\. Give the nn\.Module .*scripted\.state_dict"
    ):
        gradcam_maps(scripted, "3", picture_sample())


@pytest.mark.parametrize(
    ("module", "advice"),
    [(network().half(), r"float16.*Call module\.float"), (network().to("meta"), r"device 'meta'.*Call module\.cpu")],
)
def test_weights_that_pictures_cannot_meet_are_told_how_to_change(module: Any, advice: str) -> None:
    with pytest.raises(MaterialsError, match=advice):
        gradcam_maps(module, "3", picture_sample())


def test_maps_are_those_of_the_pictures_that_a_module_was_trained_on() -> None:
    mean, std = (0.4, 0.5, 0.6), (0.2, 0.3, 0.25)
    module, rows = network(), torch.from_numpy(picture_inputs()).float()
    scaled = (rows - torch.tensor(mean)[:, None, None]) / torch.tensor(std)[:, None, None]
    with torch.no_grad():
        features = module[:5](scaled)
        weighed = torch.relu(torch.einsum("nchw,c->nhw", features, module[7].weight[1])).numpy()
    maps = gradcam_maps(module, "4", picture_sample(), 1, mean=mean, std=std)
    assert maps * features.shape[2] * features.shape[3] == pytest.approx(weighed, abs=1e-5)


def test_a_module_that_cuts_off_its_gradients_is_told_so() -> None:
    class Detached(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = network()

        def forward(self, pictures: Any) -> Any:
            return self.inner(pictures).detach()

    with pytest.raises(MaterialsError, match=r"there are none\. Give a module that nothing detaches"):
        gradcam_maps(Detached(), "inner.4", picture_sample(), 1)


def test_an_unknown_layer_is_told_the_known_ones() -> None:
    with pytest.raises(MaterialsError, match=r"no layer 'last'. Its layers are: 0, 1, 2"):
        gradcam_maps(network(), "last", picture_sample())


def test_a_layer_of_another_module_is_refused() -> None:
    with pytest.raises(MaterialsError, match="'Conv2d' is not a layer of the module"):
        gradcam_maps(network(), network()[0], picture_sample())


def test_a_layer_without_places_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"the layer gives \(20, 8\). GradCAM needs a layer"):
        gradcam_maps(network(), "6", picture_sample())


def test_a_class_that_does_not_exist_is_refused() -> None:
    with pytest.raises(MaterialsError, match="class number 2, but the model has 2 outputs"):
        gradcam_maps(network(), "4", picture_sample(), 2)


def test_pictures_that_the_module_cannot_take_are_refused() -> None:
    with pytest.raises(MaterialsError, match="The torch module failed on pictures of the shape"):
        gradcam_maps(network(), "4", picture_sample(n_channels=1))
