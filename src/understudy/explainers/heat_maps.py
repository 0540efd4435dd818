"""Heat maps of a picture: class maps, integrated gradients, occlusion and RISE."""

from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.inputs import column_of, columns_of
from understudy.explainers.picture_inputs import (
    ExplainedPicture,
    answered_columns,
    maps_of_inputs,
    on_own_scale,
    pictures_of_inputs,
    require_maps,
)
from understudy.registry import register
from understudy.roles import Explained, Floats, HasGradients, Ints, Model, Rng
from understudy.schema import Heatmap, Record, heatmap_layer
from understudy.sources.heat_maps import coarsened
from understudy.sources.picture_pools import batches_of


@register("explainers", "class_maps")
class ClassMaps(Record):
    """Shows the map of a class of a map_model: GradCAM of a linear head, or the logits of patches (BagNet).

    GradCAM keeps positive evidence only (Selvaraju et al., 2017). Logits have two signs, and the largest take the last
    colours (Brendel and Bethge, 2019).
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"heatmap"})
    toward: str | None = None
    """The class to explain. Default: the model's answer."""
    names_class: bool = False
    """Whether the class is written above the map; where people predict the answer, that would give it away."""
    scale: Literal["per_map", "shared"] = "per_map"
    """Whether each map fills the scale, or keeps the values of the network, so that the maps of several classes of one
    photo can share a scale. A scale per map hides how much evidence there is."""
    clips: float = Field(default=0.01, ge=0, lt=0.5)
    """The share of the largest logits of a map that take the last colours of its scale."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one heat map for each picture."""
        pictures = list(pictures_of_inputs(inputs, method="class_maps"))
        reader = require_maps(model, ("class_maps", "patch_logits"), explainer="class_maps")
        if not pictures:
            return Explained(())
        is_signed = reader.card.method == "patch_logits"
        columns = answered_columns(model, inputs, self.toward, targets)
        heatmaps = tuple(
            self._heatmap(picture, maps[column], model.labels[column], is_signed=is_signed)
            for picture, maps, column in zip(pictures, maps_of_inputs(reader, inputs), columns, strict=True)
        )
        return Explained(heatmaps, {picture.shown.file: picture.content for picture in pictures})

    def _heatmap(self, picture: ExplainedPicture, values: Floats, label: str, *, is_signed: bool) -> Heatmap:
        grid = values if is_signed else np.maximum(values, 0)
        # A scale that other maps will share is found from all of them, so that nothing may be clipped before.
        clips = self.clips if is_signed and self.scale == "per_map" else 0.0
        # A map without evidence has no largest value, and still needs a scale.
        reach = float(np.quantile(np.abs(grid), 1 - clips)) or float(np.abs(grid).max()) or 1.0
        if self.scale == "per_map":
            grid, reach = grid / reach, 1.0
        limits = (-reach if is_signed else 0.0, reach)
        layer = heatmap_layer(grid, limits, label if self.names_class else "")
        return Heatmap(picture=picture.shown, layers=(layer,), limits=limits, is_signed=is_signed)


# Integrated gradients: how much each pixel adds to the output of a class on the way from a blank picture.

MOST_CELLS = 128
"""Cells of a map along its longer side; finer noise than that does not help the eye."""


@register("explainers", "integrated_gradients")
class IntegratedGradients(Record):
    """Adds up gradients along the straight way from a blank picture (Sundararajan, Taly and Yan, 2017).

    The values of all pixels and colours sum to the difference between the two outputs. The model must have gradients.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"heatmap"})
    is_costly: ClassVar[bool] = True
    n_steps: int = Field(default=50, ge=1, le=1000)
    """Steps of the way; the model gives gradients once for each."""
    blank: Literal["black", "grey", "mean"] = "black"
    """Where the way begins: black, mid-grey, or the mean colour of the picture."""
    toward: str | None = None
    """The class to explain. Default: the model's answer."""
    names_class: bool = False
    """Whether the class is written above the map; where people predict the answer, that would give it away."""
    clips: float = Field(default=0.01, ge=0, lt=0.5)
    """The share of the largest values of a map that take the last colours; single pixels with huge values are common."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one heat map for each picture."""
        pictures = list(pictures_of_inputs(inputs, method="integrated_gradients"))
        if not isinstance(model, HasGradients):
            raise MaterialsError(
                f"'integrated_gradients' needs a model with gradients, which {type(model).__name__!r} does not have (nor does "
                "any ONNX file). Compute the maps with integrated_gradients_maps, and keep them by record_heatmaps."
            )
        if not pictures:
            return Explained(())
        columns = answered_columns(model, inputs, self.toward, targets)
        heatmaps = []
        for values, picture, column in zip(inputs, pictures, columns, strict=True):
            # Channels are summed: attributions add up, and their sum is what a pixel counted.
            grid = coarsened(self.attributions(model, values, column).sum(axis=0), MOST_CELLS)
            reach = float(np.quantile(np.abs(grid), 1 - self.clips)) or float(np.abs(grid).max()) or 1.0
            layer = heatmap_layer(grid, (-reach, reach), model.labels[column] if self.names_class else "")
            heatmaps.append(Heatmap(picture=picture.shown, layers=(layer,), limits=(-reach, reach), is_signed=True))
        return Explained(tuple(heatmaps), {picture.shown.file: picture.content for picture in pictures})

    def attributions(self, model: HasGradients, picture: Floats, column: int) -> Floats:
        """Return what each value of one picture adds, in its shape."""
        channels, height, width = picture.shape
        colour = {"black": np.zeros(channels), "grey": np.full(channels, 0.5), "mean": picture.mean(axis=(1, 2))}
        start = np.broadcast_to(colour[self.blank][:, None, None], picture.shape)
        # In the middle of each step, where the sum converges fastest.
        shares = (np.arange(self.n_steps) + 0.5) / self.n_steps
        total = np.zeros(picture.shape)
        for some in batches_of((self.n_steps, height, width, channels), 0, self.n_steps):
            on_the_way = start + shares[some.start : some.stop, None, None, None] * (picture - start)
            total += model.gradients(on_the_way, np.full(len(some), column)).sum(axis=0)
        return np.asarray((picture - start) * total / self.n_steps)


# Occlusion: how much less likely the model finds a class when a part of the picture is covered.


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


# RISE: how likely the model finds a class on average, over random masks that leave a place uncovered.

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
