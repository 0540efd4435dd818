"""Score grid: example pictures, sorted by how likely the model finds a class."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.reading import column_of
from understudy.explainers.whole_model.sample_pictures import picture_at, scored_pictures
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Sample
from understudy.schema import DatasetRef, GridCell, PictureGrid, Record


@register("model_explainers", "score_grid")
class ScoreGrid(Record):
    """Shows, in rows from low to high, pictures to which the model gives higher and higher probabilities of a class.

    The baseline of Sixt, Schuessler, Popescu, Weiß and Landgraf (2022), with 10 bins of 5 pictures each.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    dataset: DatasetRef | None = None
    """The dataset of the pictures; by default the one bound to the condition."""
    n: int = Field(default=500, ge=1, le=1_000_000)
    """How many pictures to sort."""
    label: str | None = None
    """The class to explain. Default: the second one."""
    n_rows: int = Field(default=10, ge=1, le=1000)
    n_columns: int = Field(default=5, ge=1, le=1000)
    binning: Literal["quantiles", "equal_width"] = "quantiles"
    """quantiles: rows with equally many pictures; equal_width: rows of equal ranges of the probability."""
    shows_scores: bool = True
    """Whether a heading next to each row gives its range."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the grid; cells stay empty if a row has too few pictures."""
        column = column_of(model, self.label)
        scored = scored_pictures(model, sample)
        if not scored.places:
            raise MaterialsError("The dataset of a score grid has no pictures. Name a dataset whose items show some.")
        shown = np.array(scored.places, dtype=np.int64)
        scores = np.asarray(scored.answers[:, column], dtype=np.float64)
        bins = self._bins(scores)
        rows = [shown[self._chosen(np.flatnonzero(bins == k), rng)] for k in range(self.n_rows)]
        pictures = {int(k): picture_at(sample, int(k)) for row in rows for k in row}
        cells = tuple(
            (*(GridCell(picture=pictures[int(k)].shown) for k in row), *(None,) * (self.n_columns - len(row)))
            for row in rows
        )
        headings = tuple(self._heading(scores[bins == k], k) for k in range(self.n_rows)) if self.shows_scores else ()
        grid = PictureGrid(rows=cells, row_headings=headings)
        return Explained((grid,), {picture.shown.file: picture.content for picture in pictures.values()})

    def _bins(self, scores: Floats) -> Ints:
        if self.binning == "equal_width":
            return np.minimum((scores * self.n_rows).astype(np.int64), self.n_rows - 1)
        if len(scores) < self.n_rows:
            raise MaterialsError(
                f"A score grid of {self.n_rows} rows has {len(scores)} pictures. Give more pictures, or fewer rows."
            )
        # Ranks instead of quantile edges, because many equal scores would leave rows empty.
        ranks = np.empty(len(scores), dtype=np.int64)
        ranks[np.argsort(scores, kind="stable")] = np.arange(len(scores))
        return ranks * self.n_rows // len(scores)

    def _chosen(self, places: Ints, rng: Rng) -> Ints:
        n_chosen = min(self.n_columns, len(places))
        return np.asarray(rng.choice(places, size=n_chosen, replace=False) if n_chosen else places, dtype=np.int64)

    def _heading(self, scores: Floats, row: int) -> str:
        if self.binning == "equal_width":
            return f"{row / self.n_rows:.0%} to {(row + 1) / self.n_rows:.0%}"
        return f"{scores.min():.0%} to {scores.max():.0%}"
