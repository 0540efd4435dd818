"""Oxford pets from their publishers: downloaded, made small, and put into the data folder."""

import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pandas as pd
from PIL import Image

from understudy.errors import MaterialsError
from understudy.sources.csv_text import write_csv
from understudy.sources.photos.pets import FOLDER, STORED_EDGE
from understudy.workflow.downloads.resumed import LargeFile, OnBytes, download_large

_OXFORD = "https://www.robots.ox.ac.uk/~vgg/data/pets/data"
ANNOTATIONS = LargeFile(
    "annotations.tar.gz", f"{_OXFORD}/annotations.tar.gz", "95a8c909bbe2e81eed6a22bccdf3f68f", 19_173_078
)
PHOTOS = LargeFile("images.tar.gz", f"{_OXFORD}/images.tar.gz", "5c4f3ee8e5d25df40f4fd59a7f44e54c", 791_918_971)
PET_FILES = (ANNOTATIONS, PHOTOS)
LICENCE = (
    "Oxford-IIIT Pet (Parkhi et al., 2012) is published under CC BY-SA 4.0; the copyright of the photos remains with "
    "their owners."
)
_CORNERS = ("xmin", "ymin", "xmax", "ymax")
_SIZE = (STORED_EDGE, STORED_EDGE)


class _Head(NamedTuple):
    """What the annotations say about a photo that has a box around the head."""

    breed: str
    class_id: int
    kind: str
    size: tuple[int, int]
    box: tuple[float, ...]


def has_pets(folder: Path) -> bool:
    """Tell whether the data folder holds the converted photos."""
    return all((folder / FOLDER / name).is_file() for name in ("annotations.csv", "images.zip", "trimaps.zip"))


def fetch_pets(
    folder: Path, *, files: tuple[LargeFile, LargeFile] = PET_FILES, on_bytes: OnBytes = lambda _: None
) -> Path:
    """Download both archives and keep the photos that have a box around the head, 128 pixels a side."""
    out = folder / FOLDER
    if has_pets(folder):
        return out
    annotations, photos = (download_large(file, folder / "oxford-pets", on_bytes=on_bytes) for file in files)
    out.mkdir(parents=True, exist_ok=True)
    try:
        heads = _heads(annotations)
        _convert(photos, out / "images.zip", heads, (".jpg", _small_photo))
        _convert(annotations, out / "trimaps.zip", heads, (".png", _small_trimap))
    except (tarfile.TarError, OSError, EOFError, ET.ParseError) as error:
        raise MaterialsError(
            f"The archives of Oxford pets cannot be read: {error}. Delete {annotations.parent}."
        ) from None
    write_csv(_table(out, heads), out / "annotations.csv")
    return out


def _members(archive: Path, folder: str, ending: str) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive) as packed:
        for member in packed:
            path = PurePosixPath(member.name)
            # The archive also has hidden files of the system that it was packed on.
            if member.isfile() and path.suffix == ending and path.parent.name == folder and path.name[0] != ".":
                stream = packed.extractfile(member)
                yield path.stem, b"" if stream is None else stream.read()


def _heads(annotations: Path) -> dict[str, _Head]:
    listed: dict[str, tuple[int, str]] = {}
    for name, text in _members(annotations, "annotations", ".txt"):
        if name in ("trainval", "test"):
            for line in text.decode().splitlines():
                photo, number, animal, *_ = line.split()
                listed[photo] = (int(number), "cat" if animal == "1" else "dog")
    heads: dict[str, _Head] = {}
    for name, text in _members(annotations, "xmls", ".xml"):
        root = ET.fromstring(text)  # noqa: S314  its digest was checked
        box, size = root.find(".//bndbox"), root.find("size")
        if name in listed and box is not None and size is not None:
            class_id, kind = listed[name]
            width, height = (int(size.findtext(key, "0")) for key in ("width", "height"))
            corners = tuple(float(box.findtext(key, "nan")) for key in _CORNERS)
            heads[name] = _Head(name.rsplit("_", 1)[0], class_id, kind, (width, height), corners)
    return heads


def _convert(
    archive: Path, out: Path, heads: dict[str, _Head], how: tuple[str, Callable[[bytes], bytes | None]]
) -> None:
    """Write the small form of each photo that has a head; one that cannot be read is left out."""
    ending, smaller = how
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    with zipfile.ZipFile(part, "w") as kept:
        for name, content in _members(archive, "images" if ending == ".jpg" else "trimaps", ending):
            small = smaller(content) if name in heads else None
            if small is not None:
                kept.writestr(zipfile.ZipInfo(f"{name}{ending}"), small)
    part.replace(out)


def _small_photo(content: bytes) -> bytes | None:
    return _saved(content, Image.Resampling.LANCZOS, "JPEG")


def _small_trimap(content: bytes) -> bytes | None:
    return _saved(content, Image.Resampling.NEAREST, "PNG")


def _saved(content: bytes, method: Image.Resampling, kind: str) -> bytes | None:
    stream = BytesIO()
    try:
        with Image.open(BytesIO(content)) as opened:
            plain = opened.convert("RGB") if kind == "JPEG" else opened
            plain.resize(_SIZE, method).save(stream, format=kind, **({"quality": 90} if kind == "JPEG" else {}))
    except (OSError, SyntaxError, ValueError):
        return None
    return stream.getvalue()


def _table(out: Path, heads: dict[str, _Head]) -> pd.DataFrame:
    with zipfile.ZipFile(out / "images.zip") as photos, zipfile.ZipFile(out / "trimaps.zip") as trimaps:
        there = {Path(name).stem for name in photos.namelist()} & {Path(name).stem for name in trimaps.namelist()}
    rows = []
    for name in sorted(there):
        head = heads[name]
        scales = (STORED_EDGE / head.size[0], STORED_EDGE / head.size[1]) * 2
        small = [round(value * scale, 2) for value, scale in zip(head.box, scales, strict=True)]
        rows.append((name, head.breed, head.class_id, head.kind, *head.size, *head.box, *small))
    names = ["image", "breed", "class_id", "species", "orig_width", "orig_height"]
    corners = [f"head_{corner}" for corner in _CORNERS]
    return pd.DataFrame(rows, columns=[*names, *corners, *(f"{corner}_{STORED_EDGE}" for corner in corners)])
