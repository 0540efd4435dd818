"""RISE and integrated gradients: both find what a known model looks at."""

import numpy as np
import pytest

from tests.explainers.stage import PictureFormula, picture_inputs
from understudy.errors import MaterialsError
from understudy.explainers import IntegratedGradients, Rise
from understudy.explainers.heat_maps import smooth_masks
from understudy.models import LinearClassifier
from understudy.roles import Explainer, Floats
from understudy.schema import Heatmap, layer_values
from understudy.sources.heat_maps import coarsened


def map_of(explainer: Explainer, inputs: Floats, target: int | None = 1) -> Floats:
    targets = None if target is None else np.full(len(inputs), target)
    (heatmap,) = explainer.explain(PictureFormula(), inputs, targets, np.random.default_rng(1)).explanations
    assert isinstance(heatmap, Heatmap)
    return layer_values(heatmap.layers[0], heatmap.limits)


def white(height: int = 16, width: int = 16) -> Floats:
    return np.ones((1, 3, height, width))


def test_rise_finds_the_quarter_that_the_model_looks_at() -> None:
    found = map_of(Rise(n_masks=400, n_cells=4, scale="shared"), white())
    assert found[:8, :8].mean() > found[:8, 8:].mean() + 0.05
    assert found[8:, 8:].mean() == pytest.approx(found[:8, 8:].mean(), abs=0.05)


def test_rise_values_are_mean_answers_over_the_masks() -> None:
    made = Rise(n_masks=8, n_cells=4, scale="shared")
    masks = smooth_masks(8, (16, 16), made, np.random.default_rng(1))
    answers = PictureFormula().predict(white() * masks[:, None])[:, 1]
    expected = (answers[:, None, None] * masks).sum(axis=0) / masks.sum(axis=0)
    assert map_of(made, white()) == pytest.approx(expected, abs=1 / 500)


@pytest.mark.parametrize("size", [(16, 16), (9, 31), (3, 5), (1, 1)])
def test_masks_lie_between_covered_and_uncovered_and_keep_their_share(size: tuple[int, int]) -> None:
    masks = smooth_masks(300, size, Rise(n_masks=2, kept=0.3), np.random.default_rng(1))
    assert masks.shape == (300, *size)
    assert masks.min() >= 0
    assert masks.max() <= 1
    assert masks.mean() == pytest.approx(0.3, abs=0.05)


def test_batches_do_not_change_rise(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = map_of(Rise(n_masks=20), white())
    monkeypatch.setattr("understudy.sources.picture_pools.BATCH_BYTES", 1)
    assert map_of(Rise(n_masks=20), white()) == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize(("blank", "shade"), [("black", 0.0), ("grey", 0.5)])
def test_integrated_gradients_sum_to_the_difference_of_the_outputs(blank: str, shade: float) -> None:
    picture = picture_inputs(1)
    made = IntegratedGradients.model_validate({"blank": blank, "n_steps": 200})
    total = made.attributions(PictureFormula(), picture[0], 1).sum()
    ends = PictureFormula().predict(np.concatenate([picture, np.full(picture.shape, shade)]))[:, 1]
    assert total == pytest.approx(ends[0] - ends[1], abs=1e-5)


def test_pixels_that_the_model_ignores_get_nothing() -> None:
    found = map_of(IntegratedGradients(clips=0), white())
    assert np.abs(found[8:]).max() < np.abs(found).max() / 100
    assert (found[:8, :8] > 0).all()


def test_the_other_class_has_the_opposite_gradients() -> None:
    made = IntegratedGradients(clips=0)
    assert map_of(made, white(), 0) == pytest.approx(-map_of(made, white(), 1), abs=0.01)


def test_a_model_without_gradients_is_refused_in_one_sentence() -> None:
    linear = LinearClassifier(weights=(1.0, 2.0))
    with pytest.raises(MaterialsError, match="needs a model with gradients, which 'LinearClassifier' does not have"):
        IntegratedGradients().explain(linear, white(), None, np.random.default_rng(1))


def test_large_maps_are_averaged_into_cells() -> None:
    pixels = np.arange(400 * 200, dtype=np.float64).reshape(400, 200)
    coarse = coarsened(pixels, 40)
    assert coarse.shape == (40, 20)
    assert coarse[0, 0] == pytest.approx(pixels[:10, :10].mean(), rel=1e-5)
