"""The invertible network: exactly invertible, its determinant right, its logits as asked for, and resumable."""

import math
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.training.recipes import flow_recipe

torch = pytest.importorskip("torch", reason="needs the extra torch")

from tests.training.squares import TINY, square_rows, tiny_flow  # noqa: E402
from understudy.sources.logit_columns import target_logits  # noqa: E402
from understudy.training.flow_nets import Flow, FlowShape, Place, depth_to_space, space_to_depth  # noqa: E402
from understudy.training.picture_data import levels_to_values, values_to_levels  # noqa: E402
from understudy.training.picture_models import interpolated, movements, observed, realised  # noqa: E402
from understudy.training.picture_training import bits_per_dimension, softened  # noqa: E402

torch.set_num_threads(1)


def test_latents_give_the_picture_back() -> None:
    flow, pictures = tiny_flow(), levels_to_values(square_rows(40).levels)
    with torch.no_grad():
        latents = flow(pictures)
        back = flow.inverse(latents.last, latents.split_off)
    assert float((back - pictures).abs().max()) < 1e-4


def test_latents_have_as_many_dimensions_as_the_picture() -> None:
    latents = tiny_flow()(levels_to_values(square_rows(2).levels))
    assert sum(values[0].numel() for values in (latents.last, *latents.split_off)) == TINY.n_dimensions


def test_the_log_determinant_is_that_of_the_jacobian() -> None:
    flow = tiny_flow()
    picture = levels_to_values(square_rows(1).levels)

    def flat(values: Any) -> Any:
        latents = flow(values.view(1, 8, 8, 3))
        return torch.cat([part.flatten() for part in (latents.last, *latents.split_off)])

    jacobian = torch.autograd.functional.jacobian(flat, picture.flatten())
    expected = torch.linalg.slogdet(jacobian.double()).logabsdet
    assert float(flow(picture).log_det[0].detach()) == pytest.approx(float(expected), abs=1e-2)
    assert abs(float(expected)) > 1


def test_actnorms_start_from_the_pictures() -> None:
    pictures = levels_to_values(square_rows(200).levels)
    flow = Flow(TINY, torch.Generator().manual_seed(1))
    flow.initialise(pictures)
    block = flow.in_order[0]
    with torch.no_grad():
        rescaled = (space_to_depth(pictures) + block.shift[0]) * block.log_scale[0].exp()
    np.testing.assert_allclose(rescaled.mean((0, 1, 2)), 0, atol=1e-4)
    np.testing.assert_allclose(rescaled.std((0, 1, 2)), 1, atol=1e-2)


def test_couplings_begin_as_the_identity() -> None:
    flow = Flow(TINY, torch.Generator().manual_seed(1))
    pictures = levels_to_values(square_rows(3).levels)
    latents = flow(pictures)
    # Rotations alone keep lengths and volumes.
    length = sum(values.flatten(1).square().sum(1) for values in (latents.last, *latents.split_off))
    np.testing.assert_allclose(length.detach(), pictures.flatten(1).square().sum(1), rtol=1e-4)
    np.testing.assert_allclose(latents.log_det.detach(), 0, atol=1e-3)


def test_squares_of_four_positions_can_be_undone() -> None:
    values = torch.arange(2 * 4 * 4 * 3.0).view(2, 4, 4, 3)
    assert space_to_depth(values)[0, 0, 0].tolist() == values[0, :2, :2].flatten().tolist()
    assert torch.equal(depth_to_space(space_to_depth(values)), values)


@pytest.mark.parametrize("place", [Place(0, 1), Place(1, 0), Place(1, 2)])
def test_a_map_inside_the_net_gives_the_same_logit(place: Place) -> None:
    flow, pictures = tiny_flow(), levels_to_values(square_rows(4).levels)
    with torch.no_grad():
        through = flow.logit_from_map(flow.map_at(pictures, place), place)
        np.testing.assert_allclose(through, flow.logits(pictures), atol=1e-5)


def test_a_normal_latent_costs_what_the_formula_says() -> None:
    flow = Flow(TINY, torch.Generator().manual_seed(1))
    latents = flow(torch.zeros(2, 8, 8, 3))
    bits = 0.5 * math.log2(2 * math.pi) + 8
    np.testing.assert_allclose(bits_per_dimension(latents).detach(), bits, atol=1e-4)
    np.testing.assert_allclose(bits_per_dimension(latents, 4.0).detach(), bits - 2, atol=1e-4)


def test_soft_labels_cost_what_labels_replaced_by_coins_cost_on_average() -> None:
    logits, label = torch.tensor([2.0, -1.0]), torch.ones(2)
    cost = torch.nn.functional.binary_cross_entropy_with_logits
    on_average = 0.95 * cost(logits, label) + 0.05 * cost(logits, 1 - label)
    assert float(cost(logits, softened(label, 0.1))) == pytest.approx(float(on_average))


def test_a_counterfactual_has_the_logit_it_was_made_for() -> None:
    flow, rows = tiny_flow(), square_rows(20)
    pictures = interpolated(flow, rows.levels, (-2.0, 0.0, 1.5))
    assert pictures.values.shape == (20, 3, 8, 8, 3)
    assert realised(flow, pictures, is_rounded=False).largest < 1e-3


def test_a_counterfactual_at_its_own_logit_is_the_picture() -> None:
    flow, rows = tiny_flow(), square_rows(1)
    with torch.no_grad():
        logit = float(flow.logits(levels_to_values(rows.levels))[0])
    assert torch.equal(interpolated(flow, rows.levels, (logit,)).levels[:, 0], rows.levels)


def test_rounding_is_part_of_what_is_realised() -> None:
    flow, rows = tiny_flow(), square_rows(20)
    pictures = interpolated(flow, rows.levels, (-2.0, 2.0))
    exact, rounded = realised(flow, pictures, is_rounded=False), realised(flow, pictures, is_rounded=True)
    with torch.no_grad():
        logits = flow.logits(levels_to_values(pictures.levels.flatten(0, 1)))
    assert rounded.largest == pytest.approx(float((logits - torch.tensor([-2.0, 2.0] * 20)).abs().max()), abs=1e-5)
    assert rounded.largest > exact.largest


def test_targets_are_percentiles_of_the_size_of_logits() -> None:
    logits = np.concatenate([np.linspace(-10, 0, 101), np.linspace(0, 10, 101)])
    np.testing.assert_allclose(target_logits(logits, percentile=90), (-9, -5, 0, 5, 9), atol=0.06)


def test_movement_is_the_span_along_an_interpolation() -> None:
    seen = torch.tensor([[[0.0, 5.0], [1.0, 5.0], [0.5, 5.0]], [[0.0, 5.0], [0.0, 5.0], [3.0, 5.0]]])
    first, second = movements(seen)
    assert (first.mean, second.mean, second.deviation) == (2.0, 0.0, 0.0)
    assert first.deviation == pytest.approx(2**0.5)


def test_an_observer_sees_rounded_pictures_in_their_order() -> None:
    pictures = interpolated(tiny_flow(), square_rows(3).levels, (-1.0, 1.0))
    seen = observed(lambda values: values.mean((1, 2)), pictures)
    expected = levels_to_values(pictures.levels[2, 1]).mean((0, 1))
    np.testing.assert_allclose(seen[2, 1], expected, atol=1e-6)


def test_grey_levels_survive_the_way_there_and_back() -> None:
    levels = torch.arange(256, dtype=torch.uint8)
    assert torch.equal(values_to_levels(levels_to_values(levels)), levels)
    assert values_to_levels(torch.tensor([-3.0, 3.0])).tolist() == [0, 255]


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((8, (2, 2), (4,)), "2 blocks by its steps and 1 by its widths"),
        ((12, (2, 2, 2), (4, 4, 4)), "12 pixels cannot be halved 3 times"),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(shape: tuple[int, tuple[int, ...], tuple[int, ...]], said: str) -> None:
    with pytest.raises(MaterialsError, match=said):
        FlowShape(*shape)


def test_the_recipe_ends_at_a_single_position_and_fits_its_size() -> None:
    recipe = flow_recipe("sixt2022/inn-64")
    assert recipe.n_pixels == 2 ** len(recipe.n_steps)
    shape = FlowShape(recipe.n_pixels, recipe.n_steps, recipe.widths)
    flow = Flow(shape, torch.Generator().manual_seed(0))
    assert sum(value.numel() for value in flow.state_dict().values()) * 2 < 56e6
