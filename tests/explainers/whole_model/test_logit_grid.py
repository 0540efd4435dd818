"""A logit grid shows, in each column, pictures of that part of the logits."""

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.explainers import LogitGrid
from understudy.roles import Floats, Sample
from understudy.schema import PictureGrid
from understudy.sources.logit_columns import Binning, columns_of_logits
from understudy.sources.picture_pools import MemoryPool, sample_of_pictures


class Brightness:
    """Finds bright pictures to be of the second class."""

    labels: tuple[str, ...] = ("dark", "bright")

    def predict(self, inputs: Floats) -> Floats:
        shares = 1 / (1 + np.exp(-8 * (inputs.mean(axis=(1, 2, 3)) - 0.5)))
        return np.column_stack([1 - shares, shares])


def sample(n: int = 100) -> Sample:
    levels = np.linspace(0, 255, n).astype(np.uint8)
    return sample_of_pictures(MemoryPool(np.broadcast_to(levels[:, None, None, None], (n, 8, 8, 3)).copy()), {})


def columns_shown(binning: Binning) -> list[list[int]]:
    """Return, row by row, the column that each shown picture belongs to by its own logit."""
    pictures = sample()
    (grid,) = LogitGrid(binning=binning, n_rows=8).explain_model(
        Brightness(), pictures, np.random.default_rng(1)
    ).explanations  # fmt: skip
    assert isinstance(grid, PictureGrid)
    places = {str(content["image"]): place for place, content in enumerate(pictures.contents)}
    logits = 8 * (np.linspace(0, 255, 100).astype(np.uint8) / 255 - 0.5)
    columns = columns_of_logits(logits, binning)
    return [[int(columns[places[cell.picture.file]]) for cell in row if cell] for row in grid.rows]


@pytest.mark.parametrize("binning", ["quantile", "symmetric"])
def test_every_row_goes_from_one_class_to_the_other(binning: Binning) -> None:
    assert columns_shown(binning) == [[0, 1, 2, 3, 4]] * 8


def test_headings_name_the_classes_of_the_model() -> None:
    (grid,) = LogitGrid(n_rows=1).explain_model(Brightness(), sample(), np.random.default_rng(1)).explanations
    assert isinstance(grid, PictureGrid)
    assert grid.column_headings == (
        "Very certain dark",
        "Certain dark",
        "Unsure",
        "Certain bright",
        "Very certain bright",
    )


def test_a_model_of_three_classes_is_refused() -> None:
    model = Brightness()
    model.labels = ("a", "b", "c")
    with pytest.raises(MaterialsError, match="the model has 3"):
        LogitGrid().explain_model(model, sample(), np.random.default_rng(1))


def test_too_few_pictures_are_refused() -> None:
    with pytest.raises(MaterialsError, match=r"has 2 pictures for 10 rows\. Give more pictures, or fewer rows"):
        LogitGrid().explain_model(Brightness(), sample(10), np.random.default_rng(1))
