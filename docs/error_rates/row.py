"""A row of the table: an analysis, the study that it is applied to, and what one simulation of it says."""

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Simulated(NamedTuple):
    """What the analysis of one simulated study says."""

    p: float
    estimate: float
    low: float
    """The lower 95 % limit; NaN if the analysis gives no interval of its effect."""
    high: float
    n_steps: int = 0
    """How many random effects were left out."""


class Row(NamedTuple):
    """What is simulated many times."""

    analysis: str
    study: str
    """Which factor is tested, and how it varies."""
    data: str
    """The random effects, the kind of values, or the number of people."""
    effects: tuple[float, ...]
    """True effects: 0 gives false positives, the other one coverage."""
    simulate: Callable[[np.random.Generator, float], Simulated]
    seed: int
    stream: int
    """Rows with the same stream analyse the same people."""

    @property
    def key(self) -> str:
        """Return what the row is called in the file of results."""
        return f"{self.analysis}/{self.study}/{self.data}"

    def rng(self, effect: float, number: int) -> np.random.Generator:
        """Return the generator of one simulated study."""
        return np.random.default_rng([self.seed, self.stream, int(effect > 0), number])


def stream_of(name: str) -> int:
    """Return a number for a name, the same in every run."""
    return zlib.crc32(name.encode())
