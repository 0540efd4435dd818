"""Sinelines: straight lines with a sine wave added, with five known factors."""

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources import sinelines


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
