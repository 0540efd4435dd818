"""Sample pictures: the picture file of an item, with its size."""

import struct
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.roles import Sample
from understudy.schema import ShownPicture

_PNG = b"\x89PNG\r\n\x1a\n"


class SamplePicture(NamedTuple):
    """A picture, and the bytes behind it."""

    shown: ShownPicture
    content: bytes


def address_in(sample: Sample, index: int) -> str | None:
    """Return the address of the first picture that an item shows, if it shows any."""
    values = (value for value in sample.contents[index].values() if isinstance(value, str))
    return next((value for value in values if value in sample.assets), None)


def picture_at(sample: Sample, index: int) -> SamplePicture:
    """Return the picture of an item."""
    address = address_in(sample, index)
    content = sample.assets[address] if address is not None else b""
    if address is None or not content.startswith(_PNG):
        raise MaterialsError(f"Item {index + 1} of the dataset shows no PNG picture. Give its pictures as PNG files.")
    # A PNG begins with its size at a fixed offset, so it need not be decoded.
    width, height = struct.unpack(">II", content[16:24])
    return SamplePicture(ShownPicture(file=address, width=width, height=height), content)
