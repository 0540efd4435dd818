"""Heat map: how much each part of a picture counted, for one class or for several on one scale."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.picture import ShownPicture
from understudy.schema.record import Record


class HeatmapLayer(Record):
    """The map of one class: a grid of values, row by row, each a byte between the limits of the heat map."""

    label: str = ""
    """The class that the map is for; empty if the page must not say."""
    rows: int = Field(ge=1)
    columns: int = Field(ge=1)
    values: str
    """Base64 of rows x columns bytes: 0 is the lower limit and 255 the upper one."""

    @model_validator(mode="after")
    def _a_byte_for_each_place(self) -> "HeatmapLayer":
        try:
            n_bytes = len(b64decode(self.values, validate=True))
        except ValueError:
            raise ValueError("the values of a heat map are not base64. Write them with heatmap_layer.") from None
        if n_bytes != self.rows * self.columns:
            raise ValueError(
                f"a heat map of {self.rows} x {self.columns} has {n_bytes} values. Give one byte for each place."
            )
        return self


class Heatmap(Explanation):
    """A picture and one map for each class, all drawn on one scale."""

    kind: Literal["heatmap"] = "heatmap"
    picture: ShownPicture
    layers: tuple[HeatmapLayer, ...] = Field(min_length=1)
    limits: tuple[float, float]
    """The values of the first and the last colour, shared by all layers."""
    is_signed: bool = False
    """Whether the scale runs both ways from 0, and needs diverging colours."""

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The classes whose names are written above the maps."""
        return tuple(layer.label for layer in self.layers if layer.label)

    @model_validator(mode="after")
    def _limits_fit(self) -> "Heatmap":
        low, high = self.limits
        if not low < high:
            raise ValueError(f"the limits of a heat map are {low} and {high}. The first must be the smaller one.")
        if self.is_signed and low != -high:
            raise ValueError(f"a signed heat map runs from {low} to {high}. Its limits must be equally far from 0.")
        return self

    def with_options(self, others: Sequence[Explanation]) -> "Heatmap | None":
        """Return one heat map with a layer for each option, all on one scale and none with a name."""
        heatmaps = [self, *(other for other in others if isinstance(other, Heatmap))]
        if len(heatmaps) != 1 + len(others):
            return None
        merged = merged_heatmaps(heatmaps)
        layers = tuple(layer.model_copy(update={"label": ""}) for layer in merged.layers)
        return merged.model_copy(update={"layers": layers})


def heatmap_layer(values: npt.ArrayLike, limits: tuple[float, float], label: str = "") -> HeatmapLayer:
    """Make a layer from a grid of numbers; values outside the limits are clipped."""
    grid = _grid(values)
    low, high = limits
    if not low < high:
        raise ValueError(f"the limits of a heat map are {low} and {high}. The first must be the smaller one.")
    # A byte for each value is finer than the eye sees, and an eighth of the size.
    shares = (np.clip(grid, low, high) - low) / (high - low)
    written = np.rint(shares * 255).astype(np.uint8).tobytes()
    return HeatmapLayer(
        label=label, rows=grid.shape[0], columns=grid.shape[1], values=b64encode(written).decode("ascii")
    )


def heatmap_from_arrays(
    picture: ShownPicture, maps: Sequence[npt.ArrayLike], labels: Sequence[str] = (), *, is_signed: bool = False
) -> Heatmap:
    """Make a heat map with one map for each class, on one scale for all of them.

    A signed scale reaches equally far to both sides of 0, so that the neutral colour means 0.
    """
    grids = [_grid(values) for values in maps]
    if not grids or len(labels) not in (0, len(grids)):
        raise ValueError(
            f"there are {len(grids)} maps and {len(labels)} labels. Give a map, and a label for each or none."
        )
    limits = _limits(grids, is_signed=is_signed)
    named = labels or [""] * len(grids)
    layers = tuple(heatmap_layer(grid, limits, label) for grid, label in zip(grids, named, strict=True))
    return Heatmap(picture=picture, layers=layers, limits=limits, is_signed=is_signed)


def merged_heatmaps(heatmaps: Sequence[Heatmap], *, clips: float | None = None) -> Heatmap:
    """Put the maps of several heat maps of one picture on one scale, in their order.

    The shared limits hold the values of all maps, except the share `clips` of the largest; by default 1 % of signed
    maps, whose single extremes would leave everything else pale, and none of others. Heat maps that have the same limits
    already keep them.
    """
    signs = {heatmap.is_signed for heatmap in heatmaps}
    if len({heatmap.picture for heatmap in heatmaps}) != 1 or len(signs) != 1:
        raise ValueError(
            f"{len(heatmaps)} heat maps cannot share a scale. Give at least one, all of one picture, and all with or all "
            "without a sign."
        )
    first, layers = heatmaps[0], [layer for heatmap in heatmaps for layer in heatmap.layers]
    if len({heatmap.limits for heatmap in heatmaps}) == 1:
        return first.model_copy(update={"layers": tuple(layers)})
    grids = [layer_values(layer, heatmap.limits) for heatmap in heatmaps for layer in heatmap.layers]
    share = (0.01 if first.is_signed else 0.0) if clips is None else clips
    limits = _shared_limits(heatmaps, grids, clips=share)
    merged = tuple(heatmap_layer(grid, limits, layer.label) for grid, layer in zip(grids, layers, strict=True))
    return first.model_copy(update={"layers": merged, "limits": limits})


def _shared_limits(
    heatmaps: Sequence[Heatmap], grids: Sequence[npt.NDArray[np.float64]], *, clips: float
) -> tuple[float, float]:
    values = np.concatenate([grid.ravel() for grid in grids])
    if heatmaps[0].is_signed:
        reach = float(np.quantile(np.abs(values), 1 - clips)) or max(heatmap.limits[1] for heatmap in heatmaps)
        return -reach, reach
    # The lower limit stays where the maps have it, at 0 for maps without negative values.
    low = min(heatmap.limits[0] for heatmap in heatmaps)
    high = float(np.quantile(values, 1 - clips))
    return low, high if high > low else max(heatmap.limits[1] for heatmap in heatmaps)


def layer_values(layer: HeatmapLayer, limits: tuple[float, float]) -> npt.NDArray[np.float64]:
    """Return the numbers of a layer, each within half a step of the one it was made from."""
    low, high = limits
    written = np.frombuffer(b64decode(layer.values), dtype=np.uint8).reshape(layer.rows, layer.columns)
    return low + written.astype(np.float64) / 255 * (high - low)


def _limits(grids: Sequence[npt.NDArray[np.float64]], *, is_signed: bool) -> tuple[float, float]:
    low, high = min(float(grid.min()) for grid in grids), max(float(grid.max()) for grid in grids)
    if is_signed:
        # A map of zeros still needs a scale.
        reach = max(abs(low), abs(high)) or 1.0
        return -reach, reach
    return (low, high) if low < high else (low, low + 1.0)


def _grid(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    grid = np.asarray(values, dtype=np.float64)
    if grid.ndim != 2 or not grid.size:
        raise ValueError(f"a heat map has the shape {grid.shape}. Give rows x columns of numbers.")
    n_odd = int((~np.isfinite(grid)).sum())
    if n_odd:
        raise ValueError(
            f"{n_odd} of the {grid.size} values of a heat map are NaN or infinite. Explain the picture again, or set them to 0."
        )
    return grid
