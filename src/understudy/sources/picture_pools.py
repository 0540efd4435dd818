"""Picture pools: pictures of one size in memory, in files or in another pool, and the inputs that models get."""

import hashlib
import os
import zipfile
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.roles import Floats, Model, PicturePool, Pixels, Sample
from understudy.schema import Json
from understudy.sources.files import arrays_from_npz, require_room
from understudy.sources.pictures import picture_from_pixels, pixels_from_file

# Picture arrays: uint8 pictures in .npy and .npz files, read one by one and never all at once.
#
# Files are read at offsets and not mapped into memory: mapped pages would count as memory of the process until the
# system drops them, which for a large pool means all of it.

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


BATCH_BYTES = 32_000_000
"""How much memory the numbers of one batch may take when a model answers for a whole pool."""


@dataclass(frozen=True)
class MemoryPool:
    """Pictures that are in memory already."""

    pixels: Pixels

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        n, height, width, channels = self.pixels.shape
        return n, height, width, channels

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        return self.pixels[np.asarray(indices, dtype=np.int64)]


@dataclass(frozen=True)
class FilePool:
    """RGB pictures, one per file, each decoded when it is read."""

    paths: tuple[Path, ...]
    size: tuple[int, int]
    """Height and width."""
    resizes: bool = False
    """Makes each picture a square of that size."""
    crops: bool = True
    allows_monochrome: bool = True

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.paths), *self.size, 3

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        pictures = (self._picture(self.paths[int(index)]) for index in indices)
        return stacked(pictures, (len(indices), *self.shape[1:]))

    def _picture(self, path: Path) -> Pixels:
        pixels = pixels_from_file(path, edge=self.size[0] if self.resizes else None, crops=self.crops)
        if pixels.ndim == 2 and not self.allows_monochrome:
            raise MaterialsError(
                f"{str(path)!r} has no colours, and pictures without colours are refused here. Replace the picture, or "
                "set `allows_monochrome` to true."
            )
        if pixels.shape[:2] != self.size:
            height, width = pixels.shape[:2]
            raise MaterialsError(
                f"{str(path)!r} has {width} x {height} pixels, but the first picture has {self.size[1]} x "
                f"{self.size[0]}. Set `edge`, which makes all pictures squares of one size."
            )
        return np.repeat(pixels[..., None], 3, axis=2) if pixels.ndim == 2 else pixels


@dataclass(frozen=True)
class PoolPart:
    """Some pictures of a pool."""

    pool: PicturePool
    indices: Sequence[int]

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.indices), *self.pool.shape[1:]

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        return self.pool.read([int(self.indices[int(index)]) for index in indices])


def stacked(pictures: Iterable[Pixels], shape: tuple[int, ...]) -> Pixels:
    """Return pictures, each made when it is its turn, as one array of this shape."""
    whole = np.empty(shape, dtype=np.uint8)
    for position, picture in enumerate(pictures):
        whole[position] = picture
    return whole


def model_inputs(pixels: Pixels) -> Floats:
    """Return pictures as models take them: floats from 0 to 1, channels first."""
    return np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)) / 255.0


def batches_of(shape: tuple[int, int, int, int], start: int, stop: int) -> Iterator[range]:
    """Yield the indices of part of a pool, as many at once as fit into the memory of one batch."""
    n_at_once = max(1, BATCH_BYTES // (8 * int(np.prod(shape[1:]))))
    for first in range(start, stop, n_at_once):
        yield range(first, min(first + n_at_once, stop))


def answers_to_pool(model: Model, pool: PicturePool, start: int, stop: int) -> Floats:
    """Return a model's answers to part of a pool, computed batch by batch."""
    answers = [model.predict(model_inputs(pool.read(batch))) for batch in batches_of(pool.shape, start, stop)]
    return np.concatenate(answers) if answers else np.zeros((0, len(model.labels)))


# Picture samples: pictures as items, identified by their pixels, and written as files only when they are shown.

Made = TypeVar("Made")


def sample_of_pictures(
    pool: PicturePool,
    attributes: Mapping[str, Sequence[str | float | int | bool]],
    *,
    inputs: Floats | None = None,
) -> Sample:
    """Return pictures as a sample.

    Models read the pool, and pixels identify pictures. Pictures with rows of inputs are small; models read the rows, and
    the ids follow from the picture files.
    """
    contents = _Contents(pool)
    return Sample(
        contents=contents,
        attributes=attributes,
        inputs=inputs,
        assets=contents.files,
        pictures=pool if inputs is None else None,
        keys=_Keys(pool) if inputs is None else None,
    )


def picture_batches(sample: Sample, size: int = 64) -> Iterator[Floats]:
    """Yield the pictures of a sample as a model reads them, some at a time: floats from 0 to 1, channels first.

    Examples
    --------
    >>> maps = [method(batch) for batch in picture_batches(photos)]  # doctest: +SKIP
    """
    if sample.pictures is None:
        raise MaterialsError(
            "These are not pictures that a model reads. Give picture_folder or picture_array .whole()."
        )
    n = sample.pictures.shape[0]
    for start in range(0, n, size):
        yield model_inputs(sample.pictures.read(range(start, min(start + size, n))))


class _PerPicture(Sequence[Made]):
    """Something about each picture of a pool, made when it is read."""

    def __init__(self, pool: PicturePool) -> None:
        self._pool = pool

    def __len__(self) -> int:
        return self._pool.shape[0]

    @overload
    def __getitem__(self, index: int) -> Made: ...
    @overload
    def __getitem__(self, index: slice) -> list[Made]: ...
    def __getitem__(self, index: int | slice) -> Made | list[Made]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        return self._made_of(range(len(self))[index])

    @abstractmethod
    def _made_of(self, position: int) -> Made:
        """Make it from the picture at this position."""


class _Contents(_PerPicture[Json]):
    """What is shown of each picture; its file is made when its content is read."""

    def __init__(self, pool: PicturePool) -> None:
        super().__init__(pool)
        self._addresses: dict[int, str] = {}
        self.files: dict[str, bytes] = {}

    def _made_of(self, position: int) -> Json:
        if position not in self._addresses:
            picture = picture_from_pixels(self._pool.read([position])[0])
            self._addresses[position] = picture.address
            self.files[picture.address] = picture.content
        return {"image": self._addresses[position]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # compared by content, like lists


class _Keys(_PerPicture[str]):
    """Digests of pixels, which unlike those of files do not depend on the PNG writer."""

    def _made_of(self, position: int) -> str:
        return key_of_pixels(self._pool.read([position])[0])


def key_of_pixels(pixels: Pixels) -> str:
    """Return what tells a picture of shape (height, width, channels) from all others."""
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()
