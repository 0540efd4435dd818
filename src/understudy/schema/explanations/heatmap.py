"""Heat map: how much each place of a picture counted, for one class or for several on one scale."""

from base64 import b64decode
from typing import Literal

from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.picture import ShownPicture
from understudy.schema.record import Record


class HeatmapLayer(Record):
    """The map of one class: a grid of values, row by row, each a byte between the limits of the heat map."""

    label: str = ""
    """The class the map speaks for; empty where the page must not say."""
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

    @model_validator(mode="after")
    def _limits_fit(self) -> "Heatmap":
        low, high = self.limits
        if not low < high:
            raise ValueError(f"the limits of a heat map are {low} and {high}. The first must be the smaller one.")
        if self.is_signed and low != -high:
            raise ValueError(f"a signed heat map runs from {low} to {high}. Its limits must be equally far from 0.")
        return self
