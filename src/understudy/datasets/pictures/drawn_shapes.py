"""Drawn shapes: generated small pictures of ten kinds of figures, which need no download."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats, Rng, Sample
from understudy.schema import Record
from understudy.sources.picture_pools import MemoryPool
from understudy.sources.picture_samples import sample_of_pictures
from understudy.sources.pictures import pixels_from_values

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
