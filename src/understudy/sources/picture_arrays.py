"""Picture arrays: uint8 pictures in .npy and .npz files, read one by one and never all at once.

Files are read at offsets and not mapped into memory: mapped pages would count as memory of the process until the
system drops them, which for a large pool means all of it.
"""

import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.roles import Pixels
from understudy.sources.number_files import arrays_from_npz, require_room

PICTURES = "pictures"
"""The array of an .npz file that holds the pictures."""
_LOCAL_HEADER = 30
"""Bytes of a zip entry's own header, before its name and extra field."""


class Block(NamedTuple):
    """The pictures of one file."""

    path: Path
    offset: int
    """The byte at which the first picture begins."""
    shape: tuple[int, int, int, int]


@dataclass(frozen=True)
class ArrayPool:
    """Pictures in one or several array files, all of one size."""

    blocks: tuple[Block, ...]

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return sum(block.shape[0] for block in self.blocks), *self.blocks[0].shape[1:]

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        wanted = np.asarray(indices, dtype=np.int64)
        pictures = np.empty((len(wanted), *self.shape[1:]), dtype=np.uint8)
        ends = np.cumsum([block.shape[0] for block in self.blocks])
        holders = np.searchsorted(ends, wanted, side="right")
        for holder in np.unique(holders):
            block = self.blocks[holder]
            places = np.flatnonzero(holders == holder)
            inside = wanted[places] - (ends[holder] - block.shape[0])
            _read_block(block, inside, pictures, places)
        return pictures


def _read_block(block: Block, inside: npt.NDArray[np.int64], pictures: Pixels, places: npt.NDArray[np.int64]) -> None:
    n_bytes = int(np.prod(block.shape[1:]))
    with block.path.open("rb", buffering=0) as stream:
        # In the order of the file, so that a disk need not seek back.
        for target, index in sorted(zip(places.tolist(), inside.tolist(), strict=True), key=lambda pair: pair[1]):
            read = os.pread(stream.fileno(), n_bytes, block.offset + index * n_bytes)
            if len(read) < n_bytes:
                raise MaterialsError(f"{str(block.path)!r} ends before picture {index + 1}. Write the file again.")
            pictures[target] = np.frombuffer(read, dtype=np.uint8).reshape(block.shape[1:])


def block_from_file(path: Path) -> Block:
    """Find the pictures of an .npy file, or the array `pictures` of an .npz file."""
    try:
        with path.open("rb") as stream:
            if path.suffix == ".npz":
                stream.seek(_member_offset(path, stream))
            block = _block(path, stream)
        require_room(block.shape, np.dtype(np.uint8), path.stat().st_size - block.offset)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise MaterialsError(
            f"{str(path)!r} cannot be read as an array of pictures: {error}. Write it with numpy.save or numpy.savez."
        ) from None
    return block


def columns_from_npz(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    """Return the arrays of an .npz file that have one value for each picture."""
    return arrays_from_npz(path, but=(PICTURES,))


def _member_offset(path: Path, stream: BinaryIO) -> int:
    with zipfile.ZipFile(path) as archive:
        if f"{PICTURES}.npy" not in archive.namelist():
            known = ", ".join(name.removesuffix(".npy") for name in archive.namelist())
            raise MaterialsError(
                f"{str(path)!r} has no array {PICTURES!r}. It has: {known or 'none'}. Give the pictures that name."
            )
        member = archive.getinfo(f"{PICTURES}.npy")
    if member.compress_type != zipfile.ZIP_STORED:
        raise MaterialsError(
            f"{str(path)!r} is compressed, so single pictures cannot be read from it. Write it with numpy.savez in place "
            "of numpy.savez_compressed."
        )
    stream.seek(member.header_offset)
    header = stream.read(_LOCAL_HEADER)
    n_name, n_extra = (int.from_bytes(header[k : k + 2], "little") for k in (26, 28))
    return member.header_offset + _LOCAL_HEADER + n_name + n_extra


def _block(path: Path, stream: BinaryIO) -> Block:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, kind = read(stream)
    if len(shape) == 3:
        shape = (*shape, 1)
    if kind != np.uint8 or is_fortran or len(shape) != 4 or shape[3] not in (1, 3):
        order = ", columns first" if is_fortran else ""
        raise MaterialsError(
            f"{str(path)!r} holds {kind} of shape {shape}{order}. Pictures must be uint8 in the order (n, height, width) or "
            "(n, height, width, 3): convert them, and save a copy made by numpy.ascontiguousarray."
        )
    return Block(path, stream.tell(), (shape[0], shape[1], shape[2], shape[3]))
