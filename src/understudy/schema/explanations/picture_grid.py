"""Picture grid: rows and columns of pictures with headings, such as pictures with rising scores."""

from typing import Literal

from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.picture import Region, ShownPicture
from understudy.schema.record import Record


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
