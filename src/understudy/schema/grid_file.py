"""Grid file: `grid.json` in a folder of pictures, which says where each belongs in a grid and what made it."""

from typing import Literal

from pydantic import Field, JsonValue

from understudy.schema.explanations.picture import Region
from understudy.schema.explanations.picture_grid import Outline
from understudy.schema.record import Record


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
