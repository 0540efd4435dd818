"""Class maps: where a network found evidence for a class, from the maps that it gives with its answer."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.explainers.pictures.explained_pictures import ExplainedPicture, pictures_of_inputs
from understudy.explainers.pictures.map_reading import answered_columns, maps_of_inputs, require_maps
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng
from understudy.schema import Heatmap, Record, heatmap_layer


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
