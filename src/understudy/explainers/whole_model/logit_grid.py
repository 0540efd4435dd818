"""Logit grid: example pictures in five columns, from certain of one class to certain of the other."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.explainers.reading import log_odds, require_two_labels
from understudy.explainers.whole_model.sample_pictures import picture_at, scored_pictures
from understudy.registry import register
from understudy.roles import Explained, Model, Rng, Sample
from understudy.schema import DatasetRef, GridCell, PictureGrid, Record
from understudy.sources.logit_columns import Binning, certainty_headings, columns_of_logits, rows_without_reuse


@register("model_explainers", "logit_grid")
class LogitGrid(Record):
    """Shows pictures in five columns by the model's logit; every row has one random picture of each column.

    The baseline of Sixt, Schuessler, Popescu, Weiß and Landgraf (2022): 10 rows from 3,000 pictures.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    dataset: DatasetRef | None = None
    """The dataset of the pictures; by default the one bound to the condition."""
    n: int = Field(default=3000, ge=5, le=1_000_000)
    """How many pictures to choose from."""
    n_rows: int = Field(default=10, ge=1, le=1000)
    binning: Binning = "quantile"
    """quantile: each column has a fifth of the pictures, as the paper says; symmetric: borders at equal distances from 0,
    by percentiles 20 and 60 of the absolute logit, as the code of the study computes them."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the grid."""
        require_two_labels(model)
        scored = scored_pictures(model, sample)
        columns = columns_of_logits(log_odds(scored.answers), self.binning)
        places = np.array(scored.places, dtype=np.int64)[rows_without_reuse(columns, self.n_rows, rng)]
        pictures = {int(place): picture_at(sample, int(place)) for place in places.ravel()}
        grid = PictureGrid(
            column_headings=certainty_headings(model.labels),
            rows=tuple(tuple(GridCell(picture=pictures[int(place)].shown) for place in row) for row in places),
        )
        return Explained((grid,), {picture.shown.file: picture.content for picture in pictures.values()})
