"""Occlusion: places that the model looks at weigh, others do not, and every picture size works."""

import numpy as np
import pytest

from tests.explainers.stage import PictureFormula, picture_inputs
from understudy.errors import MaterialsError
from understudy.explainers import Occlusion
from understudy.explainers.heat_maps import patch_grid
from understudy.roles import Floats
from understudy.schema import Heatmap
from understudy.schema.explanations.pictures import layer_values


def bright_picture(height: int = 16, width: int = 16) -> Floats:
    """Return a picture whose upper left quarter is white, which the model takes for `above`."""
    picture = np.full((1, 3, height, width), 0.2)
    picture[:, :, : height // 2, : width // 2] = 1.0
    return picture


def falls(inputs: Floats, **options: object) -> Floats:
    made = Occlusion.model_validate({"n_cells": 4, "patch_cells": 1, "fill": "black", **options})
    (one,) = made.explain(PictureFormula(), inputs, None, np.random.default_rng(1)).explanations
    assert isinstance(one, Heatmap)
    assert one.is_signed
    return layer_values(one.layers[0], one.limits)


def test_only_places_that_the_model_looks_at_weigh() -> None:
    found = falls(bright_picture())
    assert (found[:2, :2] > 0.05).all()
    assert np.abs(found[2:]).max() < 0.01
    assert np.abs(found[:, 2:]).max() < 0.01


def test_the_fall_is_that_of_the_probability() -> None:
    picture, covered = bright_picture(), bright_picture()
    covered[:, :, :4, :4] = 0
    answers = PictureFormula().predict(np.concatenate([picture, covered]))[:, 1]
    assert falls(picture)[0, 0] == pytest.approx(answers[0] - answers[1], abs=1 / 255)


def test_the_other_class_has_the_opposite_map() -> None:
    picture = bright_picture()
    assert falls(picture, toward="below") == pytest.approx(-falls(picture, toward="above"), abs=2 / 255)


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = falls(bright_picture(), n_cells=8, patch_cells=3)
    monkeypatch.setattr("understudy.sources.picture_pools.BATCH_BYTES", 1)
    assert (falls(bright_picture(), n_cells=8, patch_cells=3) == whole).all()


@pytest.mark.parametrize(("height", "width"), [(16, 16), (9, 31), (3, 5), (1, 1)])
def test_cells_cover_every_pixel_and_patches_every_cell(height: int, width: int) -> None:
    grid = patch_grid(height, width, n_cells=4, reach=1)
    masks = grid.masks(range(len(grid.covered)))
    assert masks.shape == (grid.n_rows * grid.n_columns, height, width)
    assert masks.any(axis=0).all()
    assert masks.any(axis=(1, 2)).all()


def test_a_scale_of_its_own_ends_at_the_largest_fall() -> None:
    made = Occlusion(n_cells=4, scale="per_map")
    (one,) = made.explain(PictureFormula(), picture_inputs(1), None, np.random.default_rng(1)).explanations
    assert isinstance(one, Heatmap)
    assert np.abs(layer_values(one.layers[0], one.limits)).max() == pytest.approx(one.limits[1])


def test_rows_of_a_table_are_refused_in_one_sentence() -> None:
    with pytest.raises(MaterialsError, match=r"'occlusion' explains pictures, but the model reads .* \(2, 4\)"):
        Occlusion().explain(PictureFormula(), np.zeros((2, 4)), None, np.random.default_rng(1))
