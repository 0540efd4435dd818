"""Occlusion: how much less likely the model finds a class when a part of the picture is covered."""

from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from understudy.explainers.pictures.explained_pictures import pictures_of_inputs
from understudy.explainers.pictures.own_scale import on_own_scale
from understudy.explainers.reading import column_of, columns_of
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng
from understudy.schema import Heatmap, Record, heatmap_layer
from understudy.sources.picture_pools import batches_of


@register("explainers", "occlusion")
class Occlusion(Record):
    """Covers one patch after the other, and maps how far the probability of the explained class falls.

    After Zeiler and Fergus (2014). Each value is the mean fall over all patches that cover a place; a negative one says
    that the class became more likely.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"heatmap"})
    is_costly: ClassVar[bool] = True
    n_cells: int = Field(default=14, ge=2, le=64)
    """Cells of the map along the shorter side of the picture; the model answers once for each cell."""
    patch_cells: Literal[1, 3, 5, 7] = 3
    """How many cells a patch is wide and high; patches move by one cell."""
    fill: Literal["mean", "grey", "black"] = "mean"
    """What covers a patch: the mean colour of the picture, mid-grey or black."""
    toward: str | None = None
    """The class to explain. Default: the model's answer."""
    names_class: bool = False
    """Whether the class is written above the map; where people predict the answer, that would give it away."""
    scale: Literal["shared", "per_map"] = "shared"
    """Whether all maps share one scale, or each fills a scale from -1 to 1."""
    limit: float = Field(default=1.0, gt=0, le=1)
    """The fall in probability of the last colour of a shared scale."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one heat map for each picture."""
        pictures = list(pictures_of_inputs(inputs, method="occlusion"))
        if not pictures:
            return Explained(())
        answers = model.predict(inputs)
        columns = self._columns(model, answers, targets)
        heatmaps = []
        for values, picture, answer, column in zip(inputs, pictures, answers, columns, strict=True):
            falls = self._falls(model, values, float(answer[column]), column)
            limits = (-self.limit, self.limit)
            if self.scale == "per_map":
                ((falls,), limits) = on_own_scale([falls], is_signed=True)
            layer = heatmap_layer(falls, limits, model.labels[column] if self.names_class else "")
            heatmaps.append(Heatmap(picture=picture.shown, layers=(layer,), limits=limits, is_signed=True))
        return Explained(tuple(heatmaps), {picture.shown.file: picture.content for picture in pictures})

    def _columns(self, model: Model, answers: Floats, targets: Ints | None) -> list[int]:
        if targets is None and self.toward is None:
            column_of(model, None)  # refuses a model without labels
            return [int(column) for column in answers.argmax(axis=1)]
        return columns_of(model, self.toward, targets, n=len(answers))

    def _falls(self, model: Model, picture: Floats, likely: float, column: int) -> Floats:
        n_channels, height, width = picture.shape
        grid = patch_grid(height, width, n_cells=self.n_cells, reach=self.patch_cells // 2)
        cover = {"mean": picture.mean(axis=(1, 2)), "grey": np.full(n_channels, 0.5), "black": np.zeros(n_channels)}
        covers = cover[self.fill][None, :, None, None]
        fallen = np.empty(len(grid.covered))
        for some in batches_of((len(grid.covered), height, width, n_channels), 0, len(grid.covered)):
            masks = grid.masks(some)[:, None]
            fallen[some] = likely - model.predict(np.where(masks, covers, picture[None]))[:, column]
        means = fallen @ grid.covered / grid.covered.sum(axis=0)
        result: Floats = means.reshape(grid.n_rows, grid.n_columns)
        return result


class PatchGrid(NamedTuple):
    """Patches over the cells of a picture."""

    row_of: Ints
    """The row of cells that each row of pixels lies in."""
    column_of: Ints
    covered: npt.NDArray[np.bool_]
    """One row for each patch, one column for each cell."""

    @property
    def n_rows(self) -> int:
        """Rows of cells."""
        return int(self.row_of[-1]) + 1

    @property
    def n_columns(self) -> int:
        """Columns of cells."""
        return int(self.column_of[-1]) + 1

    def masks(self, patches: range) -> npt.NDArray[np.bool_]:
        """Return which pixels some patches cover, as (patches, height, width)."""
        cells = self.covered[patches.start : patches.stop].reshape(-1, self.n_rows, self.n_columns)
        return cells[:, self.row_of][:, :, self.column_of]


def patch_grid(height: int, width: int, *, n_cells: int, reach: int) -> PatchGrid:
    """Divide a picture into nearly square cells, with one patch around each that reaches some cells further."""
    edge = max(1.0, min(height, width) / n_cells)
    n_rows, n_columns = max(1, round(height / edge)), max(1, round(width / edge))
    row, column = (axis.ravel() for axis in np.mgrid[:n_rows, :n_columns])
    near_rows = np.abs(row[:, None] - row[None]) <= reach
    near_columns = np.abs(column[:, None] - column[None]) <= reach
    return PatchGrid(
        np.arange(height) * n_rows // height, np.arange(width) * n_columns // width, near_rows & near_columns
    )
