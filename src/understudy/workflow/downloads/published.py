"""Download published datasets and check their digests before storing them."""

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from understudy.errors import MaterialsError, UnknownName, nearest

_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"
_FASHION = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_CORNELL = "https://www.cs.cornell.edu/people/pabo/movie-review-data"
TIMEOUT_S = 60


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
