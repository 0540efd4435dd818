"""Plain laws: distributions that depend on nothing. Bounds have names, so that none can be read as a scale.

Each law draws values, says how likely values are (`density`, which "cut class only" needs), between which limits all of
them are (`limits`), and on what it depends (`causes`).
"""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from understudy.deferred.scipy import stats
from understudy.roles import Floats, Rng
from understudy.schema import Record
from understudy.sources.worlds.given import Given


def check_order(low: float, high: float) -> None:
    """Refuse bounds in the wrong order."""
    if not low < high:
        raise ValueError(f"`low` is {low:g} and `high` is {high:g}. Give a `low` that is smaller than `high`")


class Constant(Record):
    """Always the same value."""

    kind: Literal["constant"] = "constant"
    value: float
    causes: ClassVar[tuple[str, ...]] = ()

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        return np.full(given.n, self.value)

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        likely: Floats = (values == self.value).astype(np.float64)
        return likely

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.value, self.value


class Uniform(Record):
    """Any value between two bounds, equally likely."""

    kind: Literal["uniform"] = "uniform"
    low: float
    high: float
    causes: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _ordered(self) -> "Uniform":
        check_order(self.low, self.high)
        return self

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        return rng.uniform(self.low, self.high, size=given.n)

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        return ((values >= self.low) & (values <= self.high)) / (self.high - self.low)

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.low, self.high


class TruncatedNormal(Record):
    """A normal distribution of which only the values between two bounds are drawn."""

    kind: Literal["truncated_normal"] = "truncated_normal"
    mean: float
    sd: float = Field(gt=0)
    low: float
    high: float
    causes: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _ordered(self) -> "TruncatedNormal":
        check_order(self.low, self.high)
        return self

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        a, b = self._cuts()
        drawn = stats.truncnorm.ppf(rng.uniform(size=given.n), a, b, loc=self.mean, scale=self.sd)
        return np.clip(np.asarray(drawn, dtype=np.float64), self.low, self.high)

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        a, b = self._cuts()
        return np.asarray(stats.truncnorm.pdf(values, a, b, loc=self.mean, scale=self.sd), dtype=np.float64)

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.low, self.high

    def _cuts(self) -> tuple[float, float]:
        return (self.low - self.mean) / self.sd, (self.high - self.mean) / self.sd


class Beta(Record):
    """A beta distribution on [0, 1], or on a part of it; with a and b below 1 the ends are likely and the middle is rare."""

    kind: Literal["beta"] = "beta"
    a: float = Field(gt=0)
    b: float = Field(gt=0)
    low: float = Field(default=0.0, ge=0)
    """Values below are drawn again."""
    high: float = Field(default=1.0, le=1)
    """Values above are drawn again."""
    causes: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _ordered(self) -> "Beta":
        check_order(self.low, self.high)
        return self

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        below, above = self._shares()
        drawn = stats.beta.ppf(below + (above - below) * rng.uniform(size=given.n), self.a, self.b)
        return np.clip(np.asarray(drawn, dtype=np.float64), self.low, self.high)

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        below, above = self._shares()
        inside = (values >= self.low) & (values <= self.high)
        return np.where(inside, stats.beta.pdf(values, self.a, self.b) / (above - below), 0.0)

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.low, self.high

    def _shares(self) -> tuple[float, float]:
        return float(stats.beta.cdf(self.low, self.a, self.b)), float(stats.beta.cdf(self.high, self.a, self.b))


class Choice(Record):
    """One of several numbers."""

    kind: Literal["choice"] = "choice"
    values: tuple[float, ...] = Field(min_length=1)
    weights: tuple[float, ...] = ()
    """How often each is drawn, in proportion. Default: equally often."""
    causes: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _weighted(self) -> "Choice":
        if self.weights and (len(self.weights) != len(self.values) or min(self.weights) < 0 or sum(self.weights) <= 0):
            raise ValueError(f"the {len(self.values)} values need as many weights, none below 0 and not all 0")
        return self

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        return np.asarray(rng.choice(np.array(self.values), size=given.n, p=self._shares()), dtype=np.float64)

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        likely: Floats = np.zeros(len(values))
        for share, value in zip(self._shares(), self.values, strict=True):
            likely += share * (values == value)
        return likely

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return min(self.values), max(self.values)

    def _shares(self) -> Floats:
        weights = np.array(self.weights or (1.0,) * len(self.values), dtype=np.float64)
        shares: Floats = weights / weights.sum()
        return shares
