"""MNIST and Fashion-MNIST: small labelled grey pictures of digits and clothes."""

import os
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.data_folder import data_folder
from understudy.sources.idx import EDGE, digits_from_folder
from understudy.sources.picture_pools import MemoryPool
from understudy.sources.picture_samples import sample_of_pictures


@register("datasets", "mnist")
class Mnist(Record):
    """Draws handwritten digits of one part of MNIST, without replacement."""

    part: Literal["train", "test"] = "test"
    folder: str = ""
    """The folder with the four IDX files; by default, where `understudy data get mnist` puts them."""
    labels: ClassVar[tuple[str, ...]] = tuple("0123456789")

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures with their labels."""
        return _drawn(Path(self.folder) if self.folder else data_folder(os.environ) / "mnist", self, n, rng)


@register("datasets", "fashion_mnist")
class FashionMnist(Record):
    """Draws pictures of clothes of one part of Fashion-MNIST, without replacement."""

    part: Literal["train", "test"] = "test"
    folder: str = ""
    """The folder with the four IDX files; by default, where `understudy data get fashion-mnist` puts them."""
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
    rows = rng.permutation(len(pictures))[:n]
    drawn = pictures[rows]
    return sample_of_pictures(
        MemoryPool(drawn.reshape(-1, EDGE, EDGE, 1)),
        {"label": [wanted.labels[int(label)] for label in labels[rows]]},
        inputs=drawn.astype(np.float64) / 255,
    )
