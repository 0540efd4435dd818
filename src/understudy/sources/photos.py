"""Photos with annotations: boxes, masks and points of parts, in folders and known layouts."""

import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

from understudy.errors import MaterialsError
from understudy.roles import Pixels, Table
from understudy.sources.cases import stratified_split
from understudy.sources.csv_text import write_csv
from understudy.sources.files import path_fault, table_from_csv
from understudy.sources.picture_pools import stacked
from understudy.sources.pictures import FORMATS, pixels_from_file

__all__ = [
    "Box",
    "Framing",
    "PartPoint",
    "Pet",
    "PetPool",
    "PhotoTables",
    "check_classes",
    "pets_from_folder",
    "region_of_boxes",
    "region_of_mask",
    "stratified_split",
    "tables_from_cub",
    "tables_from_imagenet",
    "write_tables",
]

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


# Class folders: photos in a sub-folder for each class, whose name is the class.

MAX_NAMED = 20
"""Faults of files that are named one by one."""


_OTHER_FORMATS = (".avif", ".bmp", ".heic", ".heif", ".jfif", ".jp2", ".tif", ".tiff")
"""Endings of photos that would be missed if they were passed over like other files, such as Thumbs.db."""
_UNSHOWN = f"is a photo that not every browser shows. Convert it to one of {', '.join(FORMATS)}, or move it away."


class LabelledFiles(NamedTuple):
    """Files in a fixed order, with the class of each."""

    paths: list[Path]
    labels: list[str]


def files_in_classes(folder: Path) -> LabelledFiles:
    """Return every picture of the sub-folders, by class, then by name."""
    if not folder.is_dir():
        raise MaterialsError(f"There is no folder {str(folder)!r}. Create it, or correct the path.")
    paths: list[Path] = []
    labels: list[str] = []
    faults: list[str] = []
    for name in sorted(child.name for child in folder.iterdir() if child.is_dir()):
        fault = path_fault(folder, name, wants_folder=True)
        if fault is not None:
            faults.append(f"{name!r} {fault}")
            continue
        with os.scandir(folder / name) as entries:
            found = sorted((file.name, file.is_symlink()) for file in entries if not file.name.startswith("."))
        faults += [f"{f'{name}/{file}'!r} {_UNSHOWN}" for file, _ in found if _ending(file) in _OTHER_FORMATS]
        files = [(file, is_link) for file, is_link in found if _ending(file) in FORMATS]
        for file, is_link in files:
            # Only a link can lead out; asking about each of many files would take long.
            inside = f"{name}/{file}"
            fault = path_fault(folder, inside) if is_link else None
            if fault is not None:
                faults.append(f"{inside!r} {fault}")
            paths.append(folder / name / file)
            labels.append(name)
    refuse_files(faults)
    return LabelledFiles(paths, labels)


def no_pictures(folder: Path) -> MaterialsError:
    """Say that a folder has no pictures, and what to put there."""
    return MaterialsError(
        f"{str(folder)!r} has no pictures. Put a sub-folder for each class there, with files that end in "
        f"{', '.join(FORMATS)}, or list files in a table."
    )


def refuse_files(faults: list[str]) -> None:
    """Refuse files by their faults, one line for each."""
    if not faults:
        return
    rest = len(faults) - MAX_NAMED
    more = [f"{rest} more files have such faults."] if rest > 0 else []
    raise MaterialsError("\n".join([*faults[:MAX_NAMED], *more]))


def _ending(name: str) -> str:
    return Path(name).suffix.lower()


# Layouts: CUB_200_2011 and ImageNet as they come, as tables that `picture_folder` reads.

PHOTOS, BOXES, POINTS = "photos.csv", "boxes.csv", "points.csv"


class PhotoTables(NamedTuple):
    """What is known about the photos of a folder; paths are from `folder`."""

    folder: Path
    photos: Table
    """path, label and, where the data say it, part (train or test)."""
    boxes: Table
    """path, left, top, right and bottom, in pixels."""
    points: Table
    """path, part, x and y of each visible part, in pixels."""


def write_tables(tables: PhotoTables, out: Path) -> Path:
    """Write photos.csv and, where there are any, boxes.csv and points.csv."""
    out.mkdir(parents=True, exist_ok=True)
    for name, table in ((PHOTOS, tables.photos), (BOXES, tables.boxes), (POINTS, tables.points)):
        if len(table):
            write_csv(table, out / name)
    return out


def tables_from_cub(root: Path) -> PhotoTables:
    """Read the folder CUB_200_2011 with its classes, boxes, points of parts and official split."""
    paths = dict(_lines(root, "images.txt"))
    classes, class_of = dict(_lines(root, "classes.txt")), dict(_lines(root, "image_class_labels.txt"))
    is_train = dict(_lines(root, "train_test_split.txt"))
    photos = [
        (path, classes[class_of[key]], "train" if is_train[key] == "1" else "test") for key, path in paths.items()
    ]
    boxes = []
    for key, text in _lines(root, "bounding_boxes.txt"):
        left, top, width, height = (float(word) for word in text.split())
        boxes.append((paths[key], left, top, left + width, top + height))
    names = dict(_lines(root, "parts/parts.txt"))
    points = []
    for key, text in _lines(root, "parts/part_locs.txt"):
        part, x, y, is_visible = text.split()
        if is_visible == "1":
            points.append((paths[key], names[part], float(x), float(y)))
    return PhotoTables(root / "images", _photos(photos, has_parts=True), _boxes(boxes), _points(points))


def tables_from_imagenet(folder: Path, boxes: Path | None = None) -> PhotoTables:
    """Read photos in a folder for each class, or in one folder that LOC_val_solution.csv names the classes of.

    Boxes are that file, or a folder with one XML file in the form of VOC for each photo.
    """
    solution = {} if boxes is None or boxes.is_dir() else _solution(boxes)
    found = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix.lower() in FORMATS}
    if not found:
        raise MaterialsError(f"{str(folder)!r} has no photos. Name the folder that has a sub-folder for each class.")
    photos: list[tuple[str, str]] = []
    rows: list[tuple[str, float, float, float, float]] = []
    for name, path in found.items():
        inside = path.relative_to(folder)
        known = solution.get(name, ())
        label = known[0][0] if known else inside.parts[0]
        if len(inside.parts) == 1 and not known:
            raise MaterialsError(
                f"{path.name!r} is in no class: it has no row in LOC_val_solution.csv, and no sub-folder. Add one of them."
            )
        photos.append((inside.as_posix(), label))
        corners = [corner for _, corner in known] if known or boxes is None else list(_voc(boxes, name))
        rows.extend((inside.as_posix(), *corner) for corner in corners)
    return PhotoTables(folder, _photos(photos, has_parts=False), _boxes(rows), _points([]))


_Corners = tuple[float, float, float, float]


def _solution(path: Path) -> dict[str, tuple[tuple[str, _Corners], ...]]:
    table = table_from_csv(str(path), ("ImageId", "PredictionString"))
    found: dict[str, tuple[tuple[str, _Corners], ...]] = {}
    for name, text in zip(table["ImageId"], table["PredictionString"], strict=True):
        words = str(text).split()
        if not words or len(words) % 5:
            raise MaterialsError(
                f"{str(name)!r} in {path.name!r} needs a class and four numbers for each box: {text!r}."
            )
        groups = [words[k : k + 5] for k in range(0, len(words), 5)]
        found[str(name)] = tuple(
            (group[0], (float(group[1]), float(group[2]), float(group[3]), float(group[4]))) for group in groups
        )
    return found


def _voc(folder: Path, name: str) -> Iterator[_Corners]:
    paths = sorted(folder.rglob(f"{name}.xml"))
    if not paths:
        raise MaterialsError(
            f"There is no {name}.xml in {str(folder)!r}. Give each photo its boxes, or leave boxes out."
        )
    try:
        root = ET.parse(paths[0]).getroot()  # noqa: S314  the user's own files; expat limits what entities do
        for box in root.iter("bndbox"):
            left, top, right, bottom = (float(box.findtext(key) or "") for key in ("xmin", "ymin", "xmax", "ymax"))
            yield left, top, right, bottom
    except (ET.ParseError, ValueError):
        raise MaterialsError(f"{str(paths[0])!r} is not an annotation in the form of VOC. Replace the file.") from None


def _lines(root: Path, name: str) -> list[tuple[str, str]]:
    """Read lines with a number and what it means."""
    path = root / name
    if not path.is_file():
        raise MaterialsError(f"{str(root)!r} has no {name}. Name the folder CUB_200_2011 as it was unpacked.")
    pairs = [line.split(maxsplit=1) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    short = next((number for number, pair in enumerate(pairs, start=1) if len(pair) < 2), None)
    if short is not None:
        raise MaterialsError(f"Line {short} of {name} has one word only. Unpack CUB_200_2011 again.")
    return [(key, value) for key, value in pairs]


def _photos(rows: list[tuple[str, str, str]] | list[tuple[str, str]], *, has_parts: bool) -> Table:
    return pd.DataFrame(rows, columns=["path", "label", "part"] if has_parts else ["path", "label"])


def _boxes(rows: list[tuple[str, float, float, float, float]]) -> Table:
    return pd.DataFrame(rows, columns=["path", "left", "top", "right", "bottom"])


def _points(rows: list[tuple[str, str, float, float]]) -> Table:
    return pd.DataFrame(rows, columns=["path", "part", "x", "y"])


# Oxford pets: photos of 37 breeds with boxes of heads and outlines, from the data folder.

FOLDER = "oxford-pets-128"
STORED_EDGE = 128
BACKGROUND = 2
"""In the outlines, 1 is the pet, 2 the background and 3 the border between them."""


class Pet(NamedTuple):
    """One photo and what is known about it."""

    name: str
    breed: str
    kind: str
    """cat or dog."""
    head: Box
    """In pixels of the stored photo."""


def pets_from_folder(folder: Path) -> tuple[Pet, ...]:
    """Read the list of photos, in its order."""
    path = folder / "annotations.csv"
    if not path.is_file():
        raise MaterialsError(
            f"There are no Oxford pets in {str(folder)!r}. Run: understudy data get oxford-pets, or set UNDERSTUDY_DATA."
        )
    corners = tuple(f"head_{side}_{STORED_EDGE}" for side in ("xmin", "ymin", "xmax", "ymax"))
    table = table_from_csv(str(path), ("image", "breed", "species", *corners))
    return tuple(
        Pet(name, breed.replace("_", " "), kind, Box(*(float(value) for value in box)))
        for name, breed, kind, *box in table[["image", "breed", "species", *corners]].itertuples(index=False, name=None)
    )


@dataclass(frozen=True)
class PetPool:
    """Photos of pets, each unpacked when it is read."""

    folder: Path
    pets: tuple[Pet, ...]
    edge: int = STORED_EDGE
    _open: dict[str, zipfile.ZipFile] = field(default_factory=dict, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.pets), self.edge, self.edge, 3

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these photos, in this order."""
        return stacked((self._photo(int(index)) for index in indices), (len(indices), self.edge, self.edge, 3))

    def outlines(self, indices: Sequence[int]) -> Region:
        """Return where the pets are, with their borders, (n, edge, edge)."""
        regions = np.empty((len(indices), self.edge, self.edge), dtype=bool)
        for target, index in enumerate(indices):
            with Image.open(BytesIO(self._content("trimaps.zip", f"{self.pets[int(index)].name}.png"))) as trimap:
                values = np.asarray(_sized(trimap, self.edge, Image.Resampling.NEAREST))
            regions[target] = values != BACKGROUND
        return regions

    def heads(self, indices: Sequence[int]) -> Region:
        """Return where the boxes of the heads are, (n, edge, edge)."""
        framing = Framing(STORED_EDGE, STORED_EDGE, self.edge, crops=False)
        return np.stack(
            [region_of_boxes(pet.name, [pet.head], framing) for pet in (self.pets[int(k)] for k in indices)]
        )

    def _photo(self, index: int) -> Pixels:
        with Image.open(BytesIO(self._content("images.zip", f"{self.pets[index].name}.jpg"))) as photo:
            return np.asarray(_sized(photo.convert("RGB"), self.edge, Image.Resampling.LANCZOS))

    def _content(self, archive: str, name: str) -> bytes:
        try:
            if archive not in self._open:
                self._open[archive] = zipfile.ZipFile(self.folder / archive)
            return self._open[archive].read(name)
        except (OSError, KeyError, zipfile.BadZipFile):
            raise MaterialsError(
                f"{str(self.folder / archive)!r} has no {name}. Delete the folder and run: understudy data get oxford-pets"
            ) from None


def _sized(picture: Image.Image, edge: int, method: Image.Resampling) -> Image.Image:
    return picture if picture.size == (edge, edge) else picture.resize((edge, edge), method)
