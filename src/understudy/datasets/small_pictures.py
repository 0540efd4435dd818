"""Small pictures: digits, clothes, shapes, sprites and lines."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats, Rng, Sample
from understudy.schema import AssetPath, Record
from understudy.sources import sinelines, sprites
from understudy.sources.files import data_folder
from understudy.sources.picture_pools import MemoryPool, sample_of_pictures
from understudy.sources.pictures import pixels_from_values
from understudy.sources.small_pictures import EDGE as DIGIT_EDGE
from understudy.sources.small_pictures import digits_from_folder


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
        MemoryPool(drawn.reshape(-1, DIGIT_EDGE, DIGIT_EDGE, 1)),
        {"label": [wanted.labels[int(label)] for label in labels[rows]]},
        inputs=drawn.astype(np.float64) / 255,
    )


# Drawn shapes: generated small pictures of ten kinds of figures, which need no download.

EDGE = 16
TINTS = {
    "red": (1.0, 0.25, 0.2),
    "green": (0.3, 0.9, 0.3),
    "blue": (0.3, 0.45, 1.0),
    "yellow": (1.0, 0.9, 0.2),
    "magenta": (0.95, 0.3, 0.9),
    "cyan": (0.2, 0.9, 0.9),
}
"""Shares of red, green and blue."""
_BLOCK = 1024
_AXIS = (np.arange(EDGE) - (EDGE - 1) / 2) / (EDGE / 2)
_Y, _X = np.meshgrid(_AXIS, _AXIS, indexing="ij")


@register("datasets", "drawn_shapes")
class DrawnShapes(Record):
    """Draws upright figures of slightly different size, position and brightness, with some noise."""

    noise_sd: float = Field(default=0.15, ge=0)
    is_tinted: bool = False
    """Gives each figure one of six colours, its attribute `tint`; models then read pictures with three channels."""
    labels: ClassVar[tuple[str, ...]] = (
        "arrow up",
        "arrow down",
        "bar across",
        "bar upright",
        "disc",
        "ring",
        "square",
        "diamond",
        "tee",
        "ell",
    )

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n figures with the names of their kinds."""
        kinds = rng.integers(len(self.labels), size=n)
        size, across, down, brightness = (
            rng.uniform(low, high, size=(n, 1, 1)) for low, high in ((0.5, 0.8), (-0.2, 0.2), (-0.2, 0.2), (0.5, 1.0))
        )
        inputs = np.empty((n, EDGE, EDGE))
        for some in _blocks(n):
            x, y = (_X - across[some]) / size[some], (_Y - down[some]) / size[some]
            drawn = _figures(kinds[some], x, y) * brightness[some]
            inputs[some] = np.clip(drawn + rng.normal(scale=self.noise_sd, size=drawn.shape), 0, 1)
        attributes = {"label": [self.labels[int(k)] for k in kinds]}
        if not self.is_tinted:
            pool = MemoryPool(pixels_from_values(inputs)[..., None])
            return sample_of_pictures(pool, attributes, inputs=inputs.reshape(n, EDGE * EDGE))
        tints = rng.integers(len(TINTS), size=n)
        shares = np.array([*TINTS.values()])[tints][:, None, None, :]
        pixels = np.empty((n, EDGE, EDGE, 3), dtype=np.uint8)
        for some in _blocks(n):
            pixels[some] = pixels_from_values(inputs[some][..., None] * shares[some])
        names = [*TINTS]
        return sample_of_pictures(MemoryPool(pixels), {**attributes, "tint": [names[int(k)] for k in tints]})


def _blocks(n: int) -> Iterator[slice]:
    """Yield parts of a pool that fit into the cache of a processor: a search draws 200,000 pictures at once."""
    yield from (slice(start, start + _BLOCK) for start in range(0, n, _BLOCK))


def _figures(kinds: np.ndarray[tuple[int], np.dtype[np.int64]], x: Floats, y: Floats) -> Floats:
    radius, max_distance = np.hypot(x, y), np.maximum(abs(x), abs(y))
    inside = max_distance < 1
    stem = (abs(x) < 0.22) & inside
    # In the order of the labels.
    figures = (
        ((abs(x) < (y + 1) / 2) & inside),
        ((abs(x) < (1 - y) / 2) & inside),
        ((abs(y) < 0.3) & inside),
        ((abs(x) < 0.3) & inside),
        radius < 0.9,
        (radius < 0.95) & (radius > 0.55),
        max_distance < 0.8,
        abs(x) + abs(y) < 1,
        stem | ((y < -0.5) & inside),
        (((x + 0.6) ** 2 < 0.08) & inside) | ((y > 0.5) & inside),
    )
    stacked = np.stack(figures)
    result: Floats = stacked[kinds, np.arange(len(kinds))].astype(np.float64)
    return result


# dSprites: white shapes on black with known shape, scale, orientation and position.


@register("datasets", "dsprites")
class DSprites(Record):
    """Draws from all 737,280 combinations of five factors, without replacement."""

    file: AssetPath | None = None
    """The official npz file. Without it, understudy draws the pictures itself."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures with their factors."""
        rows = rng.choice(sprites.N_INSTANCES, size=min(n, sprites.N_INSTANCES), replace=False).astype(np.int64)
        if self.file is None:
            pictures = sprites.pictures_from_places(rows)
        else:
            pictures = sprites.rows_from_npz(Path(self.file))[rows]
        factors = sprites.factors_from_places(rows)
        shapes = [sprites.SHAPES[int(number) - 1] for number in factors[:, 0]]
        others = {name: factors[:, column].tolist() for column, name in enumerate(sprites.FACTORS) if name != "shape"}
        return sample_of_pictures(
            MemoryPool(pictures.reshape(-1, sprites.EDGE, sprites.EDGE, 1) * np.uint8(255)),
            {"shape": shapes, **others},
            inputs=pictures.astype(np.float64),
        )


# Sinelines: straight lines with a sine wave added, with five known factors.


@register("datasets", "sinelines")
class Sinelines(Record):
    """Draws lines slope * t + intercept + amplitude * sin(frequency * t + phase) of 64 points."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n lines with their factors."""
        factors = sinelines.drawn_factors(n, rng)
        lines = sinelines.lines_from_factors(factors)
        return Sample(
            contents=[{"line": [round(float(value), 4) for value in line]} for line in lines],
            attributes={name: factors[:, column].tolist() for column, name in enumerate(sinelines.FACTORS)},
            inputs=lines,
        )
