"""Recorded grid: pictures in a folder, arranged by its `grid.json`, such as counterfactuals that took hours to make."""

import hashlib
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import ClassVar

from PIL import Image
from pydantic import Field, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Explained, Floats, Model, Pixels, Rng, Sample
from understudy.schema import (
    FolderPath,
    GridCell,
    GridFile,
    Outline,
    PictureGrid,
    Record,
    RecordedCell,
    Ref,
    ShownPicture,
)
from understudy.sources.grids import picture_name, read_grid_folder, write_grid_folder
from understudy.sources.heat_maps import outlines_of, scaled


@register("model_explainers", "recorded_grid")
class RecordedGrid(Record):
    """Shows the grid of a folder that `understudy.explainers.record_grid` wrote; neither model nor dataset is needed."""

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    folder: FolderPath | None = None
    shipped: str = Field(default="", pattern=r"^([a-z0-9]+/[a-z0-9/-]+)?$")
    """In place of `folder`: a grid that comes with the package, such as "sixt2022/baseline"."""
    n_pictures: int | None = Field(default=None, ge=1, le=100_000)
    """How many pictures the grid must have, so that conditions show equally many."""

    @model_validator(mode="after")
    def _one_source(self) -> "RecordedGrid":
        if (self.folder is None) == (not self.shipped):
            raise ValueError("name either a `folder` or a `shipped` grid")
        return self

    @property
    def dataset(self) -> Ref | None:
        """No dataset: the pictures are in the folder."""
        return None

    @property
    def n(self) -> int:
        """No inputs."""
        return 0

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return what was recorded."""
        return self.recorded()

    def recorded(self) -> Explained:
        """Return the grid, and its pictures."""
        if self.folder is not None:
            return self._from_folder(Path(self.folder))
        protocol, _, name = self.shipped.partition("/")
        source = files("understudy") / "protocols" / protocol / "material" / name
        if not source.is_dir():
            raise MaterialsError(f"{self.shipped!r} does not come with understudy. Correct the name, or give a folder.")
        with as_file(source) as folder:
            return self._from_folder(folder)

    def _from_folder(self, folder: Path) -> Explained:
        grid = read_grid_folder(folder)
        if self.n_pictures not in (None, len(grid.cells)):
            raise MaterialsError(
                f"The grid in {str(folder)!r} has {len(grid.cells)} pictures, but must have {self.n_pictures}. Record "
                "as many, so that no condition shows more than another."
            )
        found: dict[str, bytes] = {}
        rows = tuple(tuple(cell and _shown(cell, folder, found) for cell in row) for row in grid.rows)
        shown = PictureGrid(
            rows=rows,
            row_headings=grid.row_headings,
            column_headings=grid.column_headings,
            caption=grid.caption,
        )
        return Explained((shown,), found)


def record_grid(
    folder: Path,
    pictures: Sequence[Sequence[Pixels | None]],
    *,
    method: str,
    column_headings: Sequence[str] = (),
    row_headings: Sequence[str] = (),
    maps: Sequence[Sequence[Floats | None]] | None = None,
    caption: str = "",
) -> Ref:
    """Write pictures, row by row, as a grid, and return the model explainer to bind.

    A picture is an array of uint8 values (row, column, 3 channels); None leaves a cell empty. `method` says in a sentence
    what made the pictures. `maps` highlights a part of each picture: an array that may be coarser than the picture, of
    which the upper half of its range is outlined.
    """
    if not len(pictures) or not len(pictures[0]):
        raise MaterialsError("The grid has no pictures. Give at least one row with one picture.")
    cells = [
        [None if pixels is None else RecordedCell(file=picture_name(row, column)) for column, pixels in enumerate(line)]
        for row, line in enumerate(pictures)
    ]
    if maps is not None:
        cells = [
            [
                cell and cell.model_copy(update={"highlight": highlight_of(coarse, len(pixels))})
                if coarse is not None and pixels is not None
                else cell
                for cell, coarse, pixels in zip(line, coarse_line, row, strict=True)
            ]
            for line, coarse_line, row in zip(cells, maps, pictures, strict=True)
        ]
    grid = GridFile(
        method=method,
        column_headings=tuple(column_headings),
        row_headings=tuple(row_headings),
        rows=tuple(map(tuple, cells)),
        caption=caption,
    )
    write_grid_folder(folder, grid, pictures)
    return Ref(name="recorded_grid", params={"folder": folder.as_posix()})


def highlight_of(coarse: Floats, n_pixels: int) -> tuple[Outline, ...]:
    """Return lines around the upper half of a map's range."""
    return tuple(Outline(points=tuple(points)) for points in outlines_of(scaled(coarse, n_pixels)))


def _shown(cell: RecordedCell, folder: Path, found: dict[str, bytes]) -> GridCell:
    path = folder / cell.file
    content = path.read_bytes()
    address = f"{hashlib.sha256(content).hexdigest()}{path.suffix.lower()}"
    found[address] = content
    with Image.open(path) as opened:
        width, height = opened.size
    picture = ShownPicture(file=address, width=width, height=height, alt=cell.alt)
    return GridCell(picture=picture, caption=cell.caption, regions=cell.regions, highlight=cell.highlight)
