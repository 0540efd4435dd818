"""Networks with maps: receptive fields as promised, maps that add up, and heads equal to plain loops."""

import math
from typing import Any

import pytest

from understudy.errors import MaterialsError

torch = pytest.importorskip("torch", reason="needs the extra torch")

from understudy.training.map_nets import (  # noqa: E402  # noqa: E402  # noqa: E402  # noqa: E402
    RECEPTIVE_PX,
    BagNet,
    CropFeatures,
    Crops,
    LinearMaps,
    ProtoPNetHead,
    ProtoTreeHead,
    SmallCnn,
    cut,
    reach,
    squared_distances,
)

torch.set_num_threads(1)


def _seeded() -> Any:
    return torch.Generator().manual_seed(3)


@pytest.mark.parametrize("receptive_px", [9, 17, 33])
def test_a_place_of_a_bagnet_sees_exactly_its_patch(receptive_px: int) -> None:
    torch.manual_seed(0)
    net = BagNet(receptive_px, (16, 16, 16, 16), (2, 2, 1, 1)).eval()
    pictures = torch.rand(1, 3, 96, 96, generator=_seeded(), requires_grad=True)
    net(pictures)[0, :, 6, 6].abs().sum().backward()
    assert pictures.grad is not None
    rows = pictures.grad.abs().sum((0, 1, 3)).nonzero().flatten()
    first = 6 * 8 - (receptive_px - 8) // 2
    assert (int(rows.min()), int(rows.max())) == (first, first + receptive_px - 1)


@pytest.mark.parametrize("receptive_px", [9, 17, 33])
def test_places_of_a_bagnet_form_a_grid_of_eight_pixels(receptive_px: int) -> None:
    net = BagNet(receptive_px, (4, 4, 4, 4), (1, 1, 1, 1)).eval()
    assert net(torch.zeros(1, 3, 96, 64)).shape == (1, 8, 12, 8)


def test_a_bagnet_of_another_receptive_field_is_refused() -> None:
    with pytest.raises(MaterialsError, match="9, 17 or 33 pixels"):
        BagNet(21, (4, 4, 4, 4), (1, 1, 1, 1))


def test_the_mean_of_patch_logits_is_the_logit() -> None:
    head = LinearMaps(8, 3, has_bias_in_maps=True)
    features = torch.rand(4, 8, 5, 6, generator=_seeded())
    output = head(features)
    pooled = head.linear(features.mean((2, 3)))
    assert torch.allclose(output.maps.mean((2, 3)), pooled, atol=1e-5)
    assert torch.allclose(output.logits, pooled, atol=1e-5)


def test_class_maps_and_the_bias_give_the_logit() -> None:
    head = LinearMaps(8, 3, has_bias_in_maps=False)
    features = torch.rand(4, 8, 5, 6, generator=_seeded())
    output = head(features)
    assert torch.allclose(output.logits, head.linear(features.mean((2, 3))), atol=1e-5)
    assert torch.allclose(output.maps.mean((2, 3)) + head.linear.bias, output.logits, atol=1e-5)


def test_class_maps_are_gradcam_before_its_relu() -> None:
    head = LinearMaps(8, 3, has_bias_in_maps=False)
    features = torch.rand(1, 8, 5, 6, generator=_seeded(), requires_grad=True)
    output = head(features)
    output.logits[0, 1].backward()
    assert features.grad is not None
    # GradCAM averages the gradient, which for a mean over places is the weight divided by their number.
    weights = features.grad.mean((2, 3), keepdim=True) * 30
    assert torch.allclose((weights * features).sum(1)[0], output.maps[0, 1], atol=1e-5)


def test_the_small_network_keeps_twelve_places() -> None:
    net = SmallCnn((16, 32, 80, 96))
    assert net(torch.zeros(2, 3, 96, 96)).shape == (2, 96, 12, 12)
    assert 100_000 < sum(parameter.numel() for parameter in net.parameters()) < 300_000


def test_a_place_of_the_small_network_sees_a_third_of_the_picture() -> None:
    torch.manual_seed(0)
    net = SmallCnn((16, 16, 16, 16)).eval()
    pictures = torch.rand(1, 3, 96, 96, generator=_seeded(), requires_grad=True)
    net(pictures)[0, :, 6, 6].abs().sum().backward()
    assert pictures.grad is not None
    rows = pictures.grad.abs().sum((0, 1, 3)).nonzero().flatten()
    assert int(rows.max() - rows.min()) + 1 == RECEPTIVE_PX


def test_a_crop_shows_only_its_own_pixels() -> None:
    pictures = torch.rand(1, 3, 32, 32, generator=_seeded())
    crops = Crops(n_px=16, grid_px=8, shown_px=16)
    changed = pictures.clone()
    changed[:, :, 20:, :] = 0
    before, after = cut(pictures, crops)[0], cut(changed, crops)[0]
    same = [bool((left == right).all()) for left, right in zip(before, after, strict=True)]
    # The first two of four rows of crops end at pixel 20: the grid begins 4 pixels before the picture.
    assert same == [True] * 8 + [False] * 8


def test_crops_are_places_in_reading_order() -> None:
    pictures = torch.zeros(1, 3, 32, 32)
    pictures[:, :, :8, 24:] = 1
    maps = CropFeatures(torch.nn.Identity(), Crops(8, 8, 8), 32)(pictures)
    assert maps.shape == (1, 3, 4, 4)
    assert maps[0, 0].nonzero().tolist() == [[0, 3]]


def test_protopnet_compares_every_place_with_every_prototype() -> None:
    head = ProtoPNetHead(6, 3, n_each=2, n_latent=4)
    head.is_exact = True
    features = torch.rand(2, 6, 3, 2, generator=_seeded())
    with torch.no_grad():
        output, latents = head(features), head.latents(features)
    prototypes = head.prototypes.detach()
    for picture in range(2):
        similar = []
        for prototype in range(6):
            best = -math.inf
            for row in range(3):
                for column in range(2):
                    difference = latents[picture, :, row, column] - prototypes[prototype]
                    distance = float((difference**2).sum())
                    similarity = math.log((distance + 1) / (distance + 1e-4))
                    assert similarity == pytest.approx(float(output.maps[picture, prototype, row, column]), abs=1e-4)
                    best = max(best, similarity)
            similar.append(best)
        logits = [sum(s * (1 if p // 2 == label else -0.5) for p, s in enumerate(similar)) for label in range(3)]
        assert output.logits[picture].tolist() == pytest.approx(logits, abs=1e-3)


def test_distances_by_products_are_those_of_differences() -> None:
    latents, prototypes = torch.rand(2, 4, 3, 2, generator=_seeded()), torch.rand(5, 4, generator=_seeded())
    exact = squared_distances(latents, prototypes, is_exact=True)
    assert torch.allclose(squared_distances(latents, prototypes), exact, atol=1e-5)


def test_a_prototree_mixes_leaves_by_the_products_along_their_paths() -> None:
    head = ProtoTreeHead(6, 3, depth=3, n_latent=4)
    head.evidence.copy_(torch.rand(8, 3, generator=_seeded()))
    features = torch.rand(2, 6, 3, 2, generator=_seeded())
    output = head(features)
    for picture in range(2):
        present = output.maps[picture].flatten(1).max(1).values.tolist()
        mixed = [0.0, 0.0, 0.0]
        for leaf in range(8):
            share, node = 1.0, 0
            for level in (2, 1, 0):
                goes_right = leaf >> level & 1
                share *= present[node] if goes_right else 1 - present[node]
                node = 2 * node + 1 + goes_right
            for label in range(3):
                mixed[label] += share * float(head.evidence[leaf].softmax(0)[label])
        assert output.logits[picture].exp().tolist() == pytest.approx(mixed, abs=1e-5)


def test_leaves_are_reached_with_probabilities_that_sum_to_one() -> None:
    reached = reach(torch.rand(5, 31, generator=_seeded()))
    assert reached.shape == (5, 32)
    assert torch.allclose(reached.sum(1), torch.ones(5))
