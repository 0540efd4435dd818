"""Explained pictures: the inputs of a model, turned back into the picture that people see."""

from collections.abc import Iterator
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.roles import Floats
from understudy.schema import ShownPicture
from understudy.sources.picture_samples import key_of_pixels
from understudy.sources.pictures import picture_from_pixels, pixels_from_values


class ExplainedPicture(NamedTuple):
    """A picture as an explanation shows it: the file of the item itself, so that a page loads it once."""

    key: str
    """The key of its item."""
    shown: ShownPicture
    content: bytes


def pictures_of_inputs(inputs: Floats, *, method: str) -> Iterator[ExplainedPicture]:
    """Yield the picture behind each input, or refuse inputs that are not pictures."""
    if inputs.ndim != 4 or inputs.shape[1] not in (1, 3):
        raise MaterialsError(
            f"{method!r} explains pictures, but the model reads inputs of the shape {inputs.shape}. Bind a dataset whose "
            "pictures the model reads as (n, channels, height, width), such as picture_folder or picture_array."
        )
    for values in inputs:
        # Inputs are bytes divided by 255, so rounding gives the bytes back exactly.
        pixels = pixels_from_values(values).transpose(1, 2, 0).copy()
        file = picture_from_pixels(pixels)
        height, width = pixels.shape[:2]
        yield ExplainedPicture(
            key_of_pixels(pixels), ShownPicture(file=file.address, width=width, height=height), file.content
        )
