"""Drawn shapes: small grey pictures of ten kinds of figure, generated, so that everything runs out of the box."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats, Rng, Sample
from understudy.schema import Record
from understudy.sources.pictures import picture_from_values

EDGE = 16
_AXIS = (np.arange(EDGE) - (EDGE - 1) / 2) / (EDGE / 2)
_Y, _X = np.meshgrid(_AXIS, _AXIS, indexing="ij")


@register("datasets", "drawn_shapes")
class DrawnShapes(Record):
    """Draws upright figures of slightly different size, place and brightness, with some noise."""

    noise_sd: float = Field(default=0.15, ge=0)
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
        inputs = _figures(kinds, (_X - across) / size, (_Y - down) / size) * brightness
        inputs = np.clip(inputs + rng.normal(scale=self.noise_sd, size=inputs.shape), 0, 1)
        drawn = [picture_from_values(one) for one in inputs]
        return Sample(
            contents=[{"image": one.address} for one in drawn],
            attributes={"label": [self.labels[int(k)] for k in kinds]},
            inputs=inputs.reshape(n, EDGE * EDGE),
            assets={one.address: one.content for one in drawn},
        )


def _figures(kinds: np.ndarray[tuple[int], np.dtype[np.int64]], x: Floats, y: Floats) -> Floats:
    far, reach = np.hypot(x, y), np.maximum(abs(x), abs(y))
    inside = reach < 1
    stem = (abs(x) < 0.22) & inside
    figures = (
        ((abs(x) < (y + 1) / 2) & inside),
        ((abs(x) < (1 - y) / 2) & inside),
        ((abs(y) < 0.3) & inside),
        ((abs(x) < 0.3) & inside),
        far < 0.9,
        (far < 0.95) & (far > 0.55),
        reach < 0.8,
        abs(x) + abs(y) < 1,
        stem | ((y < -0.5) & inside),
        (((x + 0.6) ** 2 < 0.08) & inside) | ((y > 0.5) & inside),
    )
    stacked = np.stack(figures)
    result: Floats = stacked[kinds, np.arange(len(kinds))].astype(np.float64)
    return result
