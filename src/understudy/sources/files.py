"""Files that studies name: found, measured and read within limits."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from understudy.deferred.pandas import pd
from understudy.errors import MaterialsError, refuse_large
from understudy.sources.csv_text import plain_text


def table_from_csv(path: str, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read a file, every value as text, and refuse one without these columns."""
    refuse_large(Path(path), 256, MaterialsError, "Leave out rows and columns that the study does not need.")
    try:
        table = pd.read_csv(Path(path), dtype=str, keep_default_na=False).map(plain_text)
    except (OSError, ValueError) as error:
        raise MaterialsError(f"Items cannot be read from {path!r}: {error}. Give the path of a CSV file.") from None
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise MaterialsError(
            f"{path!r} has no column {', '.join(map(repr, absent))}. Its columns are: {', '.join(table.columns)}."
        )
    return table


# The data folder, for downloaded datasets.

VARIABLE = "UNDERSTUDY_DATA"


def data_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that UNDERSTUDY_DATA names, or one in the home folder."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else Path.home() / ".understudy" / "data"


# File cache: reads a file once, and again when it has changed.

Made = TypeVar("Made")


def read_once(path: Path, read: Callable[[Path], Made], *, advice: str) -> Made:
    """Return what `read` makes of a file; `advice` says what to do if there is none."""
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. {advice}")
    refuse_large(path, 2048, MaterialsError, "Use a smaller file: it is read into memory.")
    # The time of change is part of the cache key, so that a file exported again is read again.
    made: Made = _read(path, read, path.stat().st_mtime_ns)
    return made


@cache
def _read(path: Path, read: Callable[[Path], Any], _changed_ns: int) -> Any:
    return read(path)


# Named files: the files that the items of a dataset name, so that `check` can inspect each of them.


class NamedFile(NamedTuple):
    """A value of an item that names a file, or looks like a file name."""

    item: str
    """Which item, in words: item 3, row 7."""
    field: str
    path: str
    is_declared: bool


@runtime_checkable
class NamesFiles(Protocol):
    """A dataset whose contents may name files."""

    @property
    def file_folder(self) -> Path | None:
        """The folder of the files; by default the folder of the study."""

    def named_files(self) -> Sequence[NamedFile]:
        """Return the files of all items, with undeclared values that end like the name of a picture."""


# Safe paths: a study may only name files inside its folder, so that no other file is published by accident.


def path_fault(folder: Path, written: str, *, wants_folder: bool | None = False) -> str | None:
    """Say why a path must not or cannot be used, as the end of a sentence and what to do; None if it can.

    A link may also lead into the data folder, which the user names and not the study.
    """
    # Both flavours, because a study may be written on one system and served on another.
    if PurePosixPath(written).is_absolute() or PureWindowsPath(written).is_absolute():
        return "is an absolute path. Write the path from the folder of the study."
    if ".." in PurePosixPath(written).parts or ".." in PureWindowsPath(written).parts:
        return "leads out of its folder by '..'. Put the file into the folder."
    path = folder / written
    if path.exists() and not _is_inside(path, folder):
        return "is reached by a symbolic link that leads out of its folder. Put the file itself into the folder."
    if wants_folder is not False and path.is_dir():
        return None
    if wants_folder is True or not path.is_file():
        kind = "a folder" if wants_folder else "a file"
        return f"is not {kind} there. Put it there, or correct the path."
    return None


def _is_inside(path: Path, folder: Path) -> bool:
    target = path.resolve()
    return any(target.is_relative_to(root.resolve()) for root in (folder, data_folder(os.environ)))


# Shipped material: files that come with a protocol and that a study names as `shipped:protocol/path`.
#
# A ready study has no folder of its own, and a copy of it must run wherever it is saved, so neither a path from the study
# file nor an absolute path would do. Only the folder `material` of a protocol can be named, never other files of the
# package.

PREFIX = "shipped:"
PROTOCOLS = Path(__file__).parents[1] / "protocols"


class Located(NamedTuple):
    """A folder, and the path of a file from there."""

    folder: Path
    written: str

    @property
    def path(self) -> Path:
        """The whole path."""
        return self.folder / self.written


def is_shipped(written: str) -> bool:
    """Tell whether a path names material that comes with a protocol."""
    return written.startswith(PREFIX)


def located(root: Path, written: str) -> Located:
    """Return where a file is that a study names: in the material of a protocol, or else in the study's folder."""
    if not is_shipped(written):
        return Located(root, written)
    protocol, _, rest = written.removeprefix(PREFIX).partition("/")
    # A protocol is one plain name, so that `shipped:../..` cannot lead anywhere else.
    name = protocol if PurePosixPath(protocol).name == protocol and protocol not in ("", "..", ".") else "unknown"
    return Located(PROTOCOLS / name / "material", rest)


# Number files: .npy and .npz as others wrote them, believed only as far as their bytes go.
#
# NumPy makes room for what a header claims before it reads a byte, and unpacks whatever an archive holds.

Numbers: TypeAlias = npt.NDArray[Any]

MOST_BYTES = 2**30
"""Of all arrays of one file, unpacked; a published file that is known to hold more is read with a limit of its own."""
_UNREADABLE = (
    OSError,
    OverflowError,
    zlib.error,
    ValueError,
    TypeError,
    EOFError,
    KeyError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)


def array_from_npy(path: Path) -> Numbers:
    """Read the array of an .npy file."""
    try:
        with path.open("rb") as stream:
            return _number_files_read(stream, path.stat().st_size)
    except MemoryError:
        raise MaterialsError(f"{str(path)!r} needs more memory than there is. Give a smaller file.") from None
    except _UNREADABLE as error:
        raise MaterialsError(f"{str(path)!r} {_broken(error)}. Write it with numpy.save.") from None


def arrays_from_npz(
    path: Path, names: Collection[str] | None = None, *, but: Collection[str] = (), most_bytes: int = MOST_BYTES
) -> dict[str, Numbers]:
    """Read arrays of an .npz file: those of the names, or all but some; names that it lacks are left out."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
            wanted = [name for name in members if name not in but and (names is None or name in names)]
            n_bytes = sum(members[name].file_size for name in wanted)
            if n_bytes > most_bytes:
                raise ValueError(f"holds {n_bytes / 2**30:,.1f} GB, and at most {most_bytes // 2**30} are read")
            found = {}
            for name in wanted:
                with archive.open(members[name]) as stream:
                    found[name] = _number_files_read(cast("BinaryIO", stream), members[name].file_size)
            return found
    except MemoryError:
        raise MaterialsError(f"{str(path)!r} needs more memory than there is. Give a smaller file.") from None
    except _UNREADABLE as error:
        raise MaterialsError(f"{str(path)!r} {_broken(error)}. Write it with numpy.savez.") from None


def require_room(shape: tuple[int, ...], kind: np.dtype[Any], n_bytes: int) -> None:
    """Raise ValueError if an array cannot be in so many bytes."""
    claimed = kind.itemsize * prod(shape)
    if min(shape, default=1) < 0 or claimed > n_bytes:
        raise ValueError(f"claims {'x'.join(map(str, shape)) or 'one'} of {kind}, and has {n_bytes:,} bytes for them")


def _number_files_read(stream: BinaryIO, n_bytes: int) -> Numbers:
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, kind = header(stream)
    if kind.hasobject:
        raise ValueError("holds Python objects, which could run code")
    require_room(shape, kind, n_bytes - stream.tell())
    count = prod(shape)
    content = stream.read(count * kind.itemsize)
    if len(content) < count * kind.itemsize:
        raise ValueError("ends before its last number")
    array = np.frombuffer(bytearray(content), dtype=kind, count=count)
    return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)


def _broken(error: Exception) -> str:
    said = str(error)
    return said if said.startswith(("holds", "claims", "ends")) else "is not a file of numbers, or is damaged"
