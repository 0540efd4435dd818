"""Labelled pictures: what a recipe with maps learns from and is tested with."""

from typing import NamedTuple

from understudy.roles import Table
from understudy.sources.arrays import Bytes
from understudy.sources.cases import Ints


class LabelledPictures(NamedTuple):
    """One part of the pictures: (n, row, column, channel), grey levels 0 to 255."""

    pixels: Bytes
    labels: Ints


class PhotoLists(NamedTuple):
    """Which photos a network learned from, and which it never saw, as `picture_folder` reads them: path and label."""

    train: Table
    test: Table


class PictureParts(NamedTuple):
    """Training part and test part."""

    train: LabelledPictures
    test: LabelledPictures
    labels: tuple[str, ...]
    licence: str
    lists: PhotoLists | None = None
    """The files of a user's photos; None where the pictures are drawn, or their split is fixed."""
