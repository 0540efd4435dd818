"""Layouts: CUB_200_2011 and ImageNet as they come, as tables that `picture_folder` reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pandas as pd

from understudy.errors import MaterialsError
from understudy.roles import Table
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.csv_text import write_csv
from understudy.sources.pictures import FORMATS

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
