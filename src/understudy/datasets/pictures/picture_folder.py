"""Picture folder: your own photos, in a folder for each class or listed in a table."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, FolderPath, Record
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.photos.annotations import (
    Framing,
    PartPoint,
    Region,
    boxes_from_csv,
    check_box,
    named_boxes,
    points_from_csv,
    region_of_boxes,
    region_of_mask,
    size_of,
)
from understudy.sources.photos.class_folders import files_in_classes, no_pictures, refuse_files
from understudy.sources.picture_pools import FilePool
from understudy.sources.picture_samples import sample_of_pictures
from understudy.sources.pictures import pixels_from_file
from understudy.sources.safe_paths import path_fault

PHOTO = "photo"
"""The attribute that names the file of an item, where annotations are to be found by it."""


class _Photos(NamedTuple):
    """Files in a fixed order, with what is true of each."""

    paths: list[Path]
    attributes: dict[str, list[str]]


@register("datasets", "picture_folder")
class PictureFolder(Record):
    """Draws PNG, JPEG, WebP or GIF files, without replacement, as RGB pictures of one size.

    Each sub-folder is a class, and its name the attribute `label`, unless a table says what is true of each file.
    People see exactly the pixels that the model gets. The same picture in two files counts as one item.
    """

    folder: FolderPath
    table: AssetPath | None = None
    """A CSV file whose column `path` names files of the folder; each other column, such as `label`, is an attribute."""
    edge: int | None = Field(default=None, ge=1, le=4096)
    """Makes each picture a square with sides of this many pixels. Without it, all pictures must have the same size."""
    fit: Literal["crop", "stretch"] = "crop"
    """Whether a picture that is not square loses its margins or its proportions."""
    allows_monochrome: bool = True
    """Whether a picture without colours is taken, as one with three equal channels."""
    boxes: AssetPath | None = None
    """A CSV file with the columns path, left, top, right and bottom, in pixels: where the thing is in each photo."""
    masks: FolderPath | None = None
    """In place of boxes: a folder with a PNG for each photo, under the same path; the thing is bright in it."""
    points: AssetPath | None = None
    """A CSV file with the columns path, part, x and y, in pixels: where parts of the thing are."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n photos in random order."""
        photos = self._photos()
        return self._sample(photos, [int(k) for k in rng.permutation(len(photos.paths))[:n]])

    def whole(self) -> Sample:
        """Return every photo, in the order of the folder: by class, then by name; or in the order of the table."""
        photos = self._photos()
        return self._sample(photos, list(range(len(photos.paths))))

    def regions(self, sample: Sample) -> Region:
        """Return where the thing is in each picture of a sample of this folder, (n, height, width)."""
        if self.masks is None and self.boxes is None:
            raise MaterialsError(f"{self.folder!r} has no boxes and no masks. Set `boxes` or `masks`.")
        found = {} if self.boxes is None else boxes_from_csv(self.boxes)
        regions = []
        for name in map(str, sample.attributes[PHOTO]):
            framing = self._framing(name)
            if self.masks is not None:
                mask = Path(self.masks) / Path(name).with_suffix(".png")
                regions.append(region_of_mask(mask, framing))
            else:
                regions.append(region_of_boxes(name, named_boxes(found, name), framing))
        return np.stack(regions)

    def part_points(self, sample: Sample) -> list[tuple[PartPoint, ...]]:
        """Return where parts are in each picture of a sample of this folder, in pixels of what is shown."""
        if self.points is None:
            raise MaterialsError(f"{self.folder!r} has no points of parts. Set `points`.")
        found = points_from_csv(self.points)
        names = [str(name) for name in sample.attributes[PHOTO]]
        return [
            tuple(PartPoint(point.part, *self._framing(name).moved(point.x, point.y)) for point in found.get(name, ()))
            for name in names
        ]

    def _framing(self, name: str) -> Framing:
        width, height = size_of(Path(self.folder) / name)
        return Framing(width, height, self.edge, self.fit == "crop")

    def _photos(self) -> _Photos:
        if not Path(self.folder).is_dir():
            raise MaterialsError(f"There is no folder {self.folder!r}. Create it, or correct the path.")
        photos = self._listed() if self.table is not None else self._in_classes()
        if not photos.paths:
            raise no_pictures(Path(self.folder))
        if self.boxes is None and self.masks is None and self.points is None:
            return photos
        names = [path.relative_to(self.folder).as_posix() for path in photos.paths]
        # Checked here and not when regions are needed, so that a wrong box is found before anybody takes part.
        boxes = boxes_from_csv(self.boxes) if self.boxes else {}
        points = points_from_csv(self.points) if self.points else {}
        for table, rows in ((self.boxes, boxes), (self.points, points)):
            _refuse_strangers(Path(self.folder), str(table), rows.keys() - {*names}, names[0])
        for name in boxes.keys() & {*names}:
            framing = self._framing(name)
            for box in boxes[name]:
                check_box(name, box, framing)
        return _Photos(photos.paths, {**photos.attributes, PHOTO: names})

    def _sample(self, photos: _Photos, places: Sequence[int]) -> Sample:
        size = (self.edge, self.edge) if self.edge else _size_of(photos.paths[0])
        pool = FilePool(
            tuple(photos.paths[k] for k in places),
            size,
            resizes=self.edge is not None,
            crops=self.fit == "crop",
            allows_monochrome=self.allows_monochrome,
        )
        return sample_of_pictures(
            pool, {name: [values[k] for k in places] for name, values in photos.attributes.items()}
        )

    def _in_classes(self) -> _Photos:
        files = files_in_classes(Path(self.folder))
        return _Photos(files.paths, {"label": files.labels})

    def _listed(self) -> _Photos:
        table = table_from_csv(str(self.table), ("path",))
        written = [str(value) for value in table["path"]]
        found = (
            (row, path, path_fault(Path(self.folder), path)) for row, path in enumerate(written, start=2)
        )  # fmt: skip
        refuse_files(
            [f"Row {row} of {Path(str(self.table)).name!r}: {path!r} {fault}" for row, path, fault in found if fault]
        )
        others = [str(name) for name in table.columns if name != "path"]
        return _Photos(
            [Path(self.folder) / path for path in written],
            {name: [str(value) for value in table[name]] for name in others},
        )


def _size_of(path: Path) -> tuple[int, int]:
    height, width = pixels_from_file(path).shape[:2]
    return height, width


def _refuse_strangers(folder: Path, table: str, names: Collection[str], such_as: str) -> None:
    """Refuse rows of a table that name no file; rows of files that are left out of the study may stay."""
    strangers = sorted(name for name in names if not (folder / name).is_file())
    if strangers:
        more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise MaterialsError(
            f"{Path(table).name!r} names {', '.join(map(repr, strangers[:3]))}{more}, but there are no such photos in "
            f"{str(folder)!r}. Write each path as it is from that folder, such as {such_as!r}."
        )
