"""Pictures of a sample: the file that an item shows, with its size."""

from io import BytesIO
from typing import NamedTuple

from PIL import Image

from understudy.errors import MaterialsError
from understudy.roles import Floats, Model, Sample
from understudy.schema import ShownPicture
from understudy.sources.picture_pools import answers_to_pool


class SamplePicture(NamedTuple):
    """A picture, and the bytes behind it."""

    shown: ShownPicture
    content: bytes


class ScoredPictures(NamedTuple):
    """The items of a sample that show pictures, and what the model answers to each."""

    places: list[int]
    answers: Floats


def scored_pictures(model: Model, sample: Sample) -> ScoredPictures:
    """Let a model answer to the pictures of a sample, without writing any as a file."""
    if sample.pictures is not None:
        n = sample.pictures.shape[0]
        return ScoredPictures([*range(n)], answers_to_pool(model, sample.pictures, 0, n))
    if sample.inputs is None or not len(sample.contents):
        raise MaterialsError("A score grid needs pictures with inputs for the model. Name a dataset of pictures.")
    places = [position for position in range(len(sample.contents)) if _address_in(sample, position) is not None]
    return ScoredPictures(places, model.predict(sample.inputs[places]) if places else sample.inputs[:0])


def picture_at(sample: Sample, place: int) -> SamplePicture:
    """Return the picture of an item; a lazy one is written as a file now."""
    address = _address_in(sample, place)
    if address is None:
        raise MaterialsError(f"Item {place + 1} of the dataset shows no picture. Name a dataset whose items show some.")
    content = sample.assets[address]
    width, height = Image.open(BytesIO(content)).size
    return SamplePicture(ShownPicture(file=address, width=width, height=height), content)


def _address_in(sample: Sample, place: int) -> str | None:
    """Return the address of the first picture that an item shows, if it shows any."""
    values = [value for value in sample.contents[place].values() if isinstance(value, str)]
    return next((value for value in values if value in sample.assets), None)
