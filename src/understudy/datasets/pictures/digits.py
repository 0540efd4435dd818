"""MNIST and Fashion-MNIST: small grey pictures of digits and of clothes, with their labels."""

import os
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.data_folder import data_folder
from understudy.sources.idx import EDGE, digits_from_folder
from understudy.sources.pictures import picture_from_values


@register("datasets", "mnist")
class Mnist(Record):
    """Draws handwritten digits of one part of MNIST, without replacement."""

    part: Literal["train", "test"] = "test"
    folder: str = ""
    """Where the four IDX files lie; where `understudy data get mnist` puts them when absent."""
    labels: ClassVar[tuple[str, ...]] = tuple("0123456789")

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures with their labels."""
        return _drawn(Path(self.folder) if self.folder else data_folder(os.environ) / "mnist", self, n, rng)


@register("datasets", "fashion_mnist")
class FashionMnist(Record):
    """Draws pictures of clothes of one part of Fashion-MNIST, without replacement."""

    part: Literal["train", "test"] = "test"
    folder: str = ""
    """Where the four IDX files lie; where `understudy data get fashion-mnist` puts them when absent."""
    labels: ClassVar[tuple[str, ...]] = (
        "T-shirt/top",
        "trousers",
        "pullover",
        "dress",
        "coat",
        "sandal",
        "shirt",
        "trainer",
        "bag",
        "ankle boot",
    )

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures with their labels."""
        return _drawn(Path(self.folder) if self.folder else data_folder(os.environ) / "fashion-mnist", self, n, rng)


def _drawn(folder: Path, wanted: Mnist | FashionMnist, n: int, rng: Rng) -> Sample:
    digits = digits_from_folder(folder)
    pictures, labels = digits[:2] if wanted.part == "train" else digits[2:]
    places = rng.permutation(len(pictures))[:n]
    inputs = pictures[places].astype(np.float64) / 255
    drawn = [picture_from_values(row.reshape(EDGE, EDGE)) for row in inputs]
    return Sample(
        contents=[{"image": one.address} for one in drawn],
        attributes={"label": [wanted.labels[int(one)] for one in labels[places]]},
        inputs=inputs,
        assets={one.address: one.content for one in drawn},
    )
