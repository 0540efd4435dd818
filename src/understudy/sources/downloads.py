"""Downloads: published datasets, checked by digest and resumed where they stopped."""

import gzip
import hashlib
import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen
from xml.etree import ElementTree as ET

import pandas as pd
from PIL import Image

from understudy.errors import MaterialsError, UnknownName, nearest
from understudy.sources.csv_text import write_csv
from understudy.sources.photos import FOLDER, STORED_EDGE

CHUNK = 1 << 20
TIMEOUT_S = 60
_NOT_SATISFIABLE, _PARTIAL = 416, 206
OnBytes = Callable[[int], None]
"""Hears how many more bytes are there."""


class LargeFile(NamedTuple):
    """A published file with its address, digest (MD5, as its publishers give it) and size."""

    name: str
    address: str
    md5: str
    n_bytes: int


def download_large(file: LargeFile, folder: Path, *, on_bytes: OnBytes = lambda _: None) -> Path:
    """Download a file into a folder, or the rest of it, and return its path; what is there and sound stays."""
    folder.mkdir(parents=True, exist_ok=True)
    path, part = folder / file.name, folder / f"{file.name}.part"
    if path.is_file() and _md5(path) == file.md5:
        on_bytes(file.n_bytes)
        return path
    try:
        _continue(file, part, on_bytes)
    except (OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error or type(error).__name__
        n_there = part.stat().st_size if part.is_file() else 0
        raise MaterialsError(
            f"{file.address} cannot be fetched ({reason}). {n_there:,} bytes are kept; run the command again to continue."
        ) from None
    if _md5(part) != file.md5:
        size = part.stat().st_size
        part.unlink()
        raise MaterialsError(
            f"{file.address} did not give the file that was expected: its digest differs ({size:,} bytes received). "
            "Nothing was kept; try again later."
        )
    part.replace(path)
    return path


def _continue(file: LargeFile, part: Path, on_bytes: OnBytes) -> None:
    n_there = part.stat().st_size if part.is_file() else 0
    headers = {"Range": f"bytes={n_there}-"} if n_there else {}
    try:
        with urlopen(Request(file.address, headers=headers), timeout=TIMEOUT_S) as stream:  # noqa: S310  published above
            # A server that does not know ranges sends the whole file again.
            is_rest = stream.status == _PARTIAL
            on_bytes(n_there if is_rest else 0)
            _store(stream, part, "ab" if is_rest else "wb", on_bytes)
    except HTTPError as error:
        # Nothing is left to send: the part is whole already, or damaged, which its digest tells.
        if error.code != _NOT_SATISFIABLE:
            raise


def _store(stream: HTTPResponse, part: Path, mode: str, on_bytes: OnBytes) -> None:
    with part.open(mode) as kept:
        while chunk := stream.read(CHUNK):
            kept.write(chunk)
            on_bytes(len(chunk))
    if stream.length:
        raise URLError("the connection ended early")


def _md5(path: Path) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


# Oxford pets from their publishers: downloaded, made small, and put into the data folder.

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


# Download published datasets and check their digests before storing them.

_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"
_FASHION = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_CORNELL = "https://www.cs.cornell.edu/people/pabo/movie-review-data"


class PublishedFile(NamedTuple):
    """A published file with its address and digest; a name that ends in .gz is stored compressed."""

    name: str
    address: str
    digest: str
    n_bytes: int | None = None
    member: str = ""
    """Its path inside the archive at the address."""


def _files(base_url: str, digests: dict[str, str]) -> tuple[PublishedFile, ...]:
    return tuple(PublishedFile(f"{name}.gz", f"{base_url}/{name}.gz", digest) for name, digest in digests.items())


PETS = "oxford-pets"
"""The one dataset that is fetched in its own way, from archives."""
PUBLISHED: dict[str, tuple[PublishedFile, ...]] = {
    "mnist": _files(
        _MNIST,
        {
            "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        },
    ),
    "fashion-mnist": _files(
        _FASHION,
        {
            "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            "train-labels-idx1-ubyte": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "t10k-labels-idx1-ubyte": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
        },
    ),
    "adult": (
        PublishedFile(
            "adult.data",
            f"{_UCI}/adult/adult.data",
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            n_bytes=3_974_305,
        ),
    ),
    "rt-polarity": (
        PublishedFile(
            "rt-polarity.pos",
            f"{_CORNELL}/rt-polaritydata.tar.gz",
            "d79ef14009bbf87cd6be21f91c3ea1a3cbcb73b34dfb4231aef7bbcd7677abc4",
            n_bytes=626_168,
            member="rt-polaritydata/rt-polarity.pos",
        ),
        PublishedFile(
            "rt-polarity.neg",
            f"{_CORNELL}/rt-polaritydata.tar.gz",
            "4af43bf489620b498a0852c5a8c6a535155dec7985fdfea782b8f7756b957ccc",
            n_bytes=612_290,
            member="rt-polaritydata/rt-polarity.neg",
        ),
    ),
}
"""The datasets that can be downloaded; digests are of the unpacked content, since archives of it differ."""


def content_from_web(address: str) -> bytes:
    """Download one file."""
    with urlopen(address, timeout=TIMEOUT_S) as stream:  # noqa: S310  the addresses are those above
        content: bytes = stream.read()
    return content


def fetch(
    name: str,
    folder: Path,
    *,
    download: Callable[[str], bytes] = content_from_web,
    on_file: Callable[[], None] | None = None,
) -> int:
    """Download the missing or damaged files of a dataset and return how many were fetched."""
    if name not in PUBLISHED:
        known = (*PUBLISHED, PETS)
        raise UnknownName(f"{name!r} cannot be downloaded.{nearest(name, known)} Choose from: {', '.join(known)}.")
    n_fetched = 0
    downloaded: dict[str, bytes] = {}
    for file in PUBLISHED[name]:
        path = folder / name / file.name
        if not _is_sound(path, file):
            # Several files may come from one archive, which is downloaded once.
            if file.address not in downloaded:
                downloaded[file.address] = _downloaded(file, path.parent, download)
            content = _member(downloaded[file.address], file.member)
            if content is None or _digest(content, file.name) != file.digest:
                raise MaterialsError(
                    f"{file.address} did not give the file that was expected: its digest differs{_sizes(content, file)}. "
                    f"Nothing was kept; try again later, or put {file.name} into {path.parent} by hand."
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            # Renamed at the end, so that an interrupted write never looks complete.
            part = path.with_suffix(".part")
            part.write_bytes(content)
            part.replace(path)
            n_fetched += 1
        if on_file is not None:
            on_file()
    return n_fetched


def _downloaded(file: PublishedFile, folder: Path, download: Callable[[str], bytes]) -> bytes:
    try:
        return download(file.address)
    except (OSError, HTTPException) as error:  # no connection, or an interrupted one
        reason = error.reason if isinstance(error, URLError) else error or type(error).__name__
        raise MaterialsError(
            f"{file.address} cannot be fetched ({reason}). Go online and try again, or put {file.name} into {folder} by "
            "hand."
        ) from None


def is_downloaded(name: str, folder: Path) -> bool:
    """Tell whether the data folder holds all files of a dataset, undamaged."""
    return all(_is_sound(folder / name / file.name, file) for file in PUBLISHED[name])


def _is_sound(path: Path, file: PublishedFile) -> bool:
    return path.is_file() and _digest(path.read_bytes(), file.name) == file.digest


def _sizes(content: bytes | None, file: PublishedFile) -> str:
    if file.n_bytes is None or content is None:
        return ""
    return f" ({len(content):,} bytes received, {file.n_bytes:,} expected)"


def _member(content: bytes, member: str) -> bytes | None:
    """Return a file of an archive, or the whole content if no member is named."""
    if not member:
        return content
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            stream = archive.extractfile(member)
            return None if stream is None else stream.read()
    except (KeyError, OSError, EOFError, zlib.error, tarfile.TarError):
        return None


def _digest(content: bytes, name: str) -> str | None:
    try:
        plain = gzip.decompress(content) if name.endswith(".gz") else content
    except (OSError, EOFError, zlib.error):
        return None
    return hashlib.sha256(plain).hexdigest()
