"""Picture pools: pictures of one size in memory, in files or in another pool, and the inputs that models get."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Model, PicturePool, Pixels
from understudy.sources.pictures import pixels_from_file

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
