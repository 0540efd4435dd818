"""Explanations by pictures: heat maps, grids, prototypes and trees of them."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, JsonValue, model_validator

from understudy.schema.assets import FileAddress
from understudy.schema.explanations.explanation import Explanation
from understudy.schema.record import Record

# Pictures inside explanations: a served file, regions of it, and what a screen reader says.


class ShownPicture(Record):
    """A picture that is served with the study."""

    file: FileAddress
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    alt: str = ""
    """Describes what a sighted person sees without giving an answer away; if empty, the view names the position."""


class Region(Record):
    """A rectangle in a picture, in shares of its width and height."""

    left: float = Field(ge=0, le=1)
    top: float = Field(ge=0, le=1)
    width: float = Field(gt=0, le=1)
    height: float = Field(gt=0, le=1)
    label: str = ""


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


# Picture grid: rows and columns of pictures with headings, such as pictures with rising scores.


class Outline(Record):
    """A closed line through points, in shares of a picture's width and height."""

    points: tuple[tuple[float, float], ...] = Field(min_length=3)


class GridCell(Record):
    """One picture of the grid, with regions that are outlined."""

    picture: ShownPicture
    caption: str = ""
    regions: tuple[Region, ...] = ()
    highlight: tuple[Outline, ...] = ()
    """Lines around what counts; the rest of the picture is dimmed. A line within another one cuts a hole."""


class PictureGrid(Explanation):
    """Pictures in rows and columns."""

    kind: Literal["picture_grid"] = "picture_grid"
    row_headings: tuple[str, ...] = ()
    column_headings: tuple[str, ...] = ()
    rows: tuple[tuple[GridCell | None, ...], ...] = Field(min_length=1)
    """The cells row by row; None leaves a cell empty."""
    caption: str = ""

    @model_validator(mode="after")
    def _rows_are_equally_long(self) -> "PictureGrid":
        n_columns = len(self.rows[0])
        if n_columns == 0 or any(len(row) != n_columns for row in self.rows):
            raise ValueError("the rows of a picture grid differ in length. Leave a place empty with null.")
        for name, headings, n in (
            ("row", self.row_headings, len(self.rows)),
            ("column", self.column_headings, n_columns),
        ):
            if len(headings) not in (0, n):
                raise ValueError(
                    f"a picture grid has {n} {name}s and {len(headings)} {name} headings. Give {n} or none."
                )
        return self


# Prototype matches: regions of a photo, each compared with a region of an earlier photo that the model learned from.


class PrototypeMatch(Record):
    """One comparison: a region of the explained photo, and the prototype it was found similar to."""

    row_id: str
    """Identifies the comparison among those of its item. It tells neither the class nor the rank."""
    region: Region
    """In the explained photo."""
    source: ShownPicture
    """The photo that the prototype was taken from."""
    source_region: Region
    similarity: float | None = None
    """What the model computed; None if the page must not say."""


class PrototypeMatches(Explanation):
    """The comparisons that speak for one class, in the order in which they are shown."""

    kind: Literal["prototype_matches"] = "prototype_matches"
    picture: ShownPicture
    rows: tuple[PrototypeMatch, ...] = Field(min_length=1)


# Prototype tree: all decisions of a model that goes down a tree, and the classes at its ends.


class TreeDecision(Record):
    """One decision: is the prototype present in a photo? Each answer leads to another decision or to an end."""

    absent: int
    """The number of the next decision, from 0; -1 - k is the k-th end."""
    present: int
    source: ShownPicture | None = None
    """The photo that the prototype was taken from; None in a sketch."""
    source_region: Region | None = None
    similarity: float | None = None
    """What the model computed for a photo whose way is shown."""
    number: str = ""
    """What the step is called, such as 3b, which a path calls it as well; by default its position in the list."""

    @model_validator(mode="after")
    def _is_shown_whole(self) -> "TreeDecision":
        if (self.source is None) != (self.source_region is None):
            raise ValueError("a decision has a photo without a region, or a region without a photo. Give both or none.")
        return self


class PrototypeTree(Explanation):
    """The decisions, from the root, and what each end is called."""

    kind: Literal["prototype_tree"] = "prototype_tree"
    decisions: tuple[TreeDecision, ...] = Field(min_length=1)
    ends: tuple[str, ...] = Field(min_length=2)
    """Empty names where the page must not say which class an end is."""
    visited: tuple[int, ...] = ()
    """The way of one photo: decisions from the root on and, as in `absent`, the end; empty if no way is shown."""

    @model_validator(mode="after")
    def _is_a_tree(self) -> "PrototypeTree":
        led_to = sorted(at for decision in self.decisions for at in (decision.absent, decision.present))
        expected = sorted([*range(1, len(self.decisions)), *(-1 - end for end in range(len(self.ends)))])
        if led_to != expected:
            raise ValueError(
                f"{len(self.decisions)} decisions and {len(self.ends)} ends are not one tree. Let every decision but the "
                "first, and every end, follow from exactly one answer."
            )
        return self


# Grid file: `grid.json` in a folder of pictures, which says where each belongs in a grid and what made it.


class RecordedCell(Record):
    """One picture of a recorded grid. Only the first five fields are shown; the others are for researchers."""

    file: str
    """Name of the PNG file in the same folder."""
    alt: str = ""
    caption: str = ""
    regions: tuple[Region, ...] = ()
    highlight: tuple[Outline, ...] = ()
    target: float | None = None
    """The logit that the picture was made for."""
    logit: float | None = None
    """What the model says to the picture as it was computed."""
    stored_logit: float | None = None
    """What the model says to the picture as it is stored, in 256 levels."""
    attributes: dict[str, float] = {}
    """What the picture was drawn with, if it was rendered."""


class GridFile(Record):
    """A recorded grid."""

    format: Literal[1] = 1
    method: str = Field(min_length=1)
    """What made the grid, and with which model, in a sentence."""
    world: str = ""
    """The world that the pictures are from."""
    relevant: tuple[str, ...] = ()
    """The attributes that decide, if the grid is made up for a tutorial."""
    column_headings: tuple[str, ...] = ()
    row_headings: tuple[str, ...] = ()
    rows: tuple[tuple[RecordedCell | None, ...], ...] = Field(min_length=1)
    caption: str = ""
    facts: dict[str, JsonValue] = {}
    """What else is known about it: percentiles, deviations, seeds."""

    @property
    def cells(self) -> tuple[RecordedCell, ...]:
        """All pictures in reading order."""
        return tuple(cell for row in self.rows for cell in row if cell is not None)
