"""Integrated gradients: how much each pixel adds to the output of a class on the way from a blank picture."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.pictures.coarse_maps import coarsened
from understudy.explainers.pictures.explained_pictures import pictures_of_inputs
from understudy.explainers.pictures.map_reading import answered_columns
from understudy.registry import register
from understudy.roles import Explained, Floats, HasGradients, Ints, Model, Rng
from understudy.schema import Heatmap, Record, heatmap_layer
from understudy.sources.picture_pools import batches_of

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
