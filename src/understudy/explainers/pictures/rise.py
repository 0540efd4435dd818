"""RISE: how likely the model finds a class on average, over random masks that leave a place uncovered."""

from typing import ClassVar, Literal

import numpy as np
from PIL import Image
from pydantic import Field

from understudy.explainers.pictures.coarse_maps import coarsened
from understudy.explainers.pictures.explained_pictures import pictures_of_inputs
from understudy.explainers.pictures.map_reading import answered_columns
from understudy.explainers.pictures.own_scale import on_own_scale
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng
from understudy.schema import Heatmap, Record, heatmap_layer
from understudy.sources.picture_pools import batches_of

MOST_MASK_CELLS = 64
"""Cells of a map along its longer side: masks are smooth, so that more would show nothing new."""


@register("explainers", "rise")
class Rise(Record):
    """Covers a picture with many smooth random masks, and averages the answers over the masks that show a place.

    After Petsiuk, Das and Saenko (2018). The model is asked once for each mask and needs no gradients.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"heatmap"})
    is_costly: ClassVar[bool] = True
    n_masks: int = Field(default=1000, ge=2, le=20_000)
    n_cells: int = Field(default=7, ge=2, le=32)
    """Cells of a mask along each side, before it is smoothed."""
    kept: float = Field(default=0.5, gt=0, lt=1)
    """The share of cells that a mask leaves uncovered."""
    toward: str | None = None
    """The class to explain. Default: the model's answer."""
    names_class: bool = False
    """Whether the class is written above the map; where people predict the answer, that would give it away."""
    scale: Literal["per_map", "shared"] = "per_map"
    """Whether each map fills the scale, or all maps run from 0 to a probability of 1."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one heat map for each picture."""
        pictures = list(pictures_of_inputs(inputs, method="rise"))
        if not pictures:
            return Explained(())
        columns = answered_columns(model, inputs, self.toward, targets)
        heatmaps = []
        for values, picture, column in zip(inputs, pictures, columns, strict=True):
            grid = coarsened(self._means(model, values, column, rng), MOST_MASK_CELLS)
            limits = (0.0, 1.0)
            if self.scale == "per_map":
                ((grid,), limits) = on_own_scale([grid], is_signed=False)
            layer = heatmap_layer(grid, limits, model.labels[column] if self.names_class else "")
            heatmaps.append(Heatmap(picture=picture.shown, layers=(layer,), limits=limits))
        return Explained(tuple(heatmaps), {picture.shown.file: picture.content for picture in pictures})

    def _means(self, model: Model, picture: Floats, column: int, rng: Rng) -> Floats:
        channels, height, width = picture.shape
        total, weight = np.zeros((height, width)), np.zeros((height, width))
        for some in batches_of((self.n_masks, height, width, channels), 0, self.n_masks):
            masks = smooth_masks(len(some), (height, width), self, rng)
            answers = model.predict(picture[None] * masks[:, None])[:, column]
            total += np.tensordot(answers, masks, axes=1)
            weight += masks.sum(axis=0)
        # By the weight that each pixel really had: with few masks, its expectation would leave stains.
        return np.asarray(total / np.maximum(weight, 1e-12))


def smooth_masks(n: int, size: tuple[int, int], options: Rise, rng: Rng) -> Floats:
    """Return masks from 0 (covered) to 1, as (n, height, width): coarse random cells, enlarged and shifted."""
    height, width = size
    cell_height, cell_width = -(-height // options.n_cells), -(-width // options.n_cells)
    # One more cell along each side, so that a shifted mask still covers the picture.
    large = ((options.n_cells + 1) * cell_width, (options.n_cells + 1) * cell_height)
    masks = np.empty((n, height, width))
    for mask in masks:
        cells = (rng.random((options.n_cells + 1, options.n_cells + 1)) < options.kept).astype(np.float32)
        enlarged = np.asarray(Image.fromarray(cells).resize(large, Image.Resampling.BILINEAR))
        top, left = int(rng.integers(cell_height)), int(rng.integers(cell_width))
        mask[:] = enlarged[top : top + height, left : left + width]
    return masks
