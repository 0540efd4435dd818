"""Number files: .npy and .npz as others wrote them, believed only as far as their bytes go.

NumPy makes room for what a header claims before it reads a byte, and unpacks whatever an archive holds.
"""

import zipfile
import zlib
from collections.abc import Collection
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError

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
            return _read(stream, path.stat().st_size)
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
                    found[name] = _read(cast("BinaryIO", stream), members[name].file_size)
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


def _read(stream: BinaryIO, n_bytes: int) -> Numbers:
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
