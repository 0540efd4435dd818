"""Picture samples: pictures as items, identified by their pixels, and written as files only when they are shown."""

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, overload

from understudy.errors import MaterialsError
from understudy.roles import Floats, PicturePool, Pixels, Sample
from understudy.schema import Json
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels

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
