"""The classifier of an invertible network, fitted once more."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra torch")

from understudy.training.flow_nets import Flow, FlowShape  # noqa: E402
from understudy.training.picture_data import PictureRows, levels_to_values  # noqa: E402
from understudy.training.picture_training import fit_head  # noqa: E402
from understudy.training.recipes import FlowRecipe  # noqa: E402


def _recipe(penalty: float) -> FlowRecipe:
    return FlowRecipe("tiny", 8, n_steps=(2, 2), widths=(8, 8), n_epochs=1, head_penalty=penalty, n_head_pictures=150)


def _rows() -> PictureRows:
    generator = torch.Generator().manual_seed(3)
    labels = torch.arange(200) % 2
    levels = torch.randint(90, 140, (200, 8, 8, 3), generator=generator) + 25 * labels[:, None, None, None]
    return PictureRows(levels.to(torch.uint8), torch.zeros(200, 1), labels.float())


def _fitted(penalty: float) -> tuple[Flow, float]:
    recipe, rows = _recipe(penalty), _rows()
    flow = Flow(FlowShape(8, recipe.n_steps, recipe.widths), torch.Generator().manual_seed(1))
    values = levels_to_values(rows.levels)
    flow.initialise(values)
    fit_head(recipe, rows, flow.eval())
    with torch.no_grad():
        is_correct = (flow.logits(values[150:]) > 0) == (rows.labels[150:] > 0.5)
    return flow, float(is_correct.float().mean())


def test_pictures_that_it_was_not_fitted_to_are_classified() -> None:
    """Brighter pictures are of the second class."""
    _, accuracy = _fitted(0.01)
    assert accuracy > 0.9


def test_a_larger_penalty_gives_shorter_weights() -> None:
    """The penalty works on the length of the weights."""
    lengths = [float(_fitted(penalty)[0].head.weight.detach().norm()) for penalty in (0.01, 0.1, 1.0)]
    assert lengths[0] > lengths[1] > lengths[2] > 0


def test_the_slope_of_the_penalised_loss_is_zero_where_the_fit_ends() -> None:
    """The fit is the minimum: log loss and penalty balance."""
    flow, _ = _fitted(0.1)
    rows, recipe = _rows(), _recipe(0.1)
    with torch.no_grad():
        latents = flow(levels_to_values(rows.levels[:150])).last.flatten(1)
        weights = flow.head.weight.flatten()
        labels = rows.labels[:150] * (1 - recipe.label_noise) + recipe.label_noise / 2
        slope = latents.T @ (torch.sigmoid(latents @ weights + flow.head.bias) - labels) / 150 + 0.1 * weights
    assert float(slope.abs().max()) < 1e-4
