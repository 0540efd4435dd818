"""Integrated gradients of torch modules: equal to captum's, summing to the change of the output, refused in one sentence."""

from typing import Any

import pytest

from tests.explainers.stage import picture_inputs, picture_sample
from tests.models.test_torch_gradcam import network
from understudy.errors import MaterialsError
from understudy.models import integrated_gradients_maps

torch = pytest.importorskip("torch", reason="needs the extra torch")


def test_maps_equal_those_of_captum() -> None:
    attr = pytest.importorskip("captum.attr", reason="needs captum")
    module, targets = network(), [k % 2 for k in range(20)]
    rows = torch.from_numpy(picture_inputs()).float()
    method = attr.IntegratedGradients(module)
    expected = method.attribute(rows, target=torch.tensor(targets), n_steps=30, method="riemann_middle").sum(1)
    found = integrated_gradients_maps(module, picture_sample(), targets, n_steps=30)
    assert found == pytest.approx(expected.detach().numpy(), abs=1e-5)


@pytest.mark.parametrize(
    "scale", [{}, {"mean": (0.4, 0.5, 0.6), "std": (0.2, 0.3, 0.25)}], ids=["pixels", "normalised"]
)
def test_a_map_sums_to_the_change_from_a_black_picture(scale: dict[str, Any]) -> None:
    module, rows = network().eval(), torch.from_numpy(picture_inputs()).float()

    def outputs(pictures: Any) -> Any:
        if scale:
            pictures = (pictures - torch.tensor(scale["mean"])[:, None, None]) / torch.tensor(scale["std"])[
                :, None, None
            ]
        with torch.no_grad():
            return module(pictures)[:, 1]

    expected = (outputs(rows) - outputs(torch.zeros_like(rows))).numpy()
    found = integrated_gradients_maps(module, picture_sample(), 1, n_steps=400, **scale)
    assert found.shape == (20, *rows.shape[2:])
    assert found.sum(axis=(1, 2)) == pytest.approx(expected, abs=5e-3)


def test_what_has_no_gradients_and_steps_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(
        MaterialsError, match=r"The method of integrated gradients needs gradients, which 'net\.onnx' does not have"
    ):
        integrated_gradients_maps("net.onnx", picture_sample())
    with pytest.raises(MaterialsError, match="n_steps is 0"):
        integrated_gradients_maps(network(), picture_sample(), n_steps=0)
    with pytest.raises(MaterialsError, match="class number 9"):
        integrated_gradients_maps(network(), picture_sample(), 9)
