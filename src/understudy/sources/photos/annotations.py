"""Annotations of photos: boxes, masks and points of parts, in pixels of the photo or of what is shown of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.errors import MaterialsError
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.pictures import pixels_from_file

Region = npt.NDArray[np.bool_]
"""(height, width): where the thing is."""
TOLERANCE_PX = 1.0
"""How far a box may reach over an edge: some were drawn on coordinates from 1, some from 0."""


class Box(NamedTuple):
    """A rectangle in pixels, from the upper left corner of the photo; right and bottom are just outside."""

    left: float
    top: float
    right: float
    bottom: float


class PartPoint(NamedTuple):
    """Where a visible part of the thing is, in pixels."""

    part: str
    x: float
    y: float


class Framing(NamedTuple):
    """How a photo of some width and height becomes the picture that is shown."""

    width: int
    height: int
    edge: int | None = None
    """None shows it as it is."""
    crops: bool = True

    @property
    def shown(self) -> tuple[int, int]:
        """Height and width of what is shown."""
        return (self.height, self.width) if self.edge is None else (self.edge, self.edge)

    def moved(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the photo is in the picture; it may be outside if the photo is cropped."""
        if self.edge is None:
            return x, y
        if not self.crops:
            return x * self.edge / self.width, y * self.edge / self.height
        short = min(self.width, self.height)
        scale = self.edge / short
        return (x - (self.width - short) / 2) * scale, (y - (self.height - short) / 2) * scale


def boxes_from_csv(path: str) -> dict[str, tuple[Box, ...]]:
    """Read a table with the columns path, left, top, right and bottom; a photo may have several rows."""
    rows = _numbers(path, ("left", "top", "right", "bottom"))
    found: dict[str, list[Box]] = {}
    for name, (left, top, right, bottom) in rows:
        found.setdefault(name, []).append(Box(left, top, right, bottom))
    return {name: tuple(boxes) for name, boxes in found.items()}


def points_from_csv(path: str) -> dict[str, tuple[PartPoint, ...]]:
    """Read a table with the columns path, part, x and y."""
    parts = table_from_csv(path, ("path", "part", "x", "y"))["part"]
    found: dict[str, list[PartPoint]] = {}
    for part, (name, (x, y)) in zip(parts, _numbers(path, ("x", "y")), strict=True):
        found.setdefault(name, []).append(PartPoint(str(part), x, y))
    return {name: tuple(points) for name, points in found.items()}


def _numbers(path: str, columns: tuple[str, ...]) -> list[tuple[str, tuple[float, ...]]]:
    table = table_from_csv(path, ("path", *columns))
    rows: list[tuple[str, tuple[float, ...]]] = []
    for number, row in enumerate(table[["path", *columns]].itertuples(index=False, name=None), start=2):
        try:
            rows.append((str(row[0]), tuple(float(value) for value in row[1:])))
        except ValueError:
            raise MaterialsError(
                f"Row {number} of {Path(path).name!r} needs numbers in {', '.join(columns)}, but has: "
                f"{', '.join(map(str, row[1:]))}. Give pixels of the photo."
            ) from None
    return rows


def region_of_boxes(name: str, boxes: Sequence[Box], framing: Framing) -> Region:
    """Return where any of the boxes is; refuse a box that is not inside the photo."""
    region = np.zeros(framing.shown, dtype=bool)
    height, width = framing.shown
    for box in boxes:
        check_box(name, box, framing)
        left, top = framing.moved(box.left, box.top)
        right, bottom = framing.moved(box.right, box.bottom)
        # A pixel belongs to the box if its centre does.
        columns, rows = np.arange(width) + 0.5, np.arange(height) + 0.5
        inside = ((rows >= top) & (rows < bottom))[:, None] & ((columns >= left) & (columns < right))
        region |= inside
    return region


def check_box(name: str, box: Box, framing: Framing) -> None:
    """Refuse a box that is not inside its photo."""
    is_inside = (
        -TOLERANCE_PX <= box.left < box.right <= framing.width + TOLERANCE_PX
        and -TOLERANCE_PX <= box.top < box.bottom <= framing.height + TOLERANCE_PX
    )
    if not is_inside:
        written = ", ".join(f"{value:g}" for value in box)
        raise MaterialsError(
            f"{name!r} has {framing.width} x {framing.height} pixels, but a box at {written} (left, top, right, bottom). "
            "Give boxes inside the photo, in its own pixels."
        )


def region_of_mask(path: Path, framing: Framing) -> Region:
    """Return where a mask of the size of its photo is brighter than half of its brightest pixel."""
    if not path.is_file():
        raise MaterialsError(
            f"There is no mask {str(path)!r}. Give each photo a PNG of the same name, or leave masks out."
        )
    pixels = pixels_from_file(path)
    mask = pixels if pixels.ndim == 2 else pixels.max(axis=2)
    if mask.shape != (framing.height, framing.width):
        raise MaterialsError(
            f"The mask {str(path)!r} has {mask.shape[1]} x {mask.shape[0]} pixels, its photo {framing.width} x "
            f"{framing.height}. Give it the size of its photo."
        )
    return framed(mask > mask.max() / 2, framing)


def framed(mask: Region, framing: Framing) -> Region:
    """Crop or stretch a mask as its photo is."""
    height, width = framing.shown
    rows, columns = np.arange(height) + 0.5, np.arange(width) + 0.5
    left, top = framing.moved(0, 0)
    right, bottom = framing.moved(framing.width, framing.height)
    # The pixel of the photo under the centre of each shown pixel.
    y = np.floor((rows - top) / (bottom - top) * framing.height).astype(np.int64)
    x = np.floor((columns - left) / (right - left) * framing.width).astype(np.int64)
    region: Region = mask[np.clip(y, 0, framing.height - 1)][:, np.clip(x, 0, framing.width - 1)]
    return region


def size_of(path: Path) -> tuple[int, int]:
    """Return width and height of a photo without decoding it."""
    with Image.open(path) as header:
        return header.size


def check_classes(labels: Sequence[str], *, least: int = 4) -> None:
    """Refuse data with fewer classes than a question has answers."""
    names = sorted(set(labels))
    if len(names) < least:
        raise MaterialsError(
            f"The photos have {len(names)} classes ({', '.join(names)}). At least {least} are needed to choose from: "
            "add classes."
        )


def named_boxes(found: Mapping[str, tuple[Box, ...]], name: str) -> tuple[Box, ...]:
    """Return the boxes of a photo, which must have one."""
    if name not in found:
        raise MaterialsError(f"{name!r} has no box. Add a row for it, or take the photo out.")
    return found[name]
