"""Laws: how attributes are drawn, given others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field, SkipValidation, model_validator

from understudy.deferred.scipy import stats
from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Rng
from understudy.schema import Record

CLASS = "class"
"""The name under which attributes depend on the class of a row."""


@dataclass(frozen=True)
class Given:
    """Rows whose class and earlier attributes are known."""

    class_names: tuple[str, ...]
    classes: Ints
    columns: Mapping[str, Floats]

    @property
    def n(self) -> int:
        """How many rows."""
        return len(self.classes)

    def rows(self, which: npt.NDArray[np.intp]) -> "Given":
        """Return some of the rows."""
        return Given(self.class_names, self.classes[which], {name: held[which] for name, held in self.columns.items()})

    def with_classes(self, classes: Ints) -> "Given":
        """Return the same rows with other classes."""
        return Given(self.class_names, classes, self.columns)

    def with_column(self, name: str, values: Floats) -> "Given":
        """Return the same rows with one more attribute."""
        return Given(self.class_names, self.classes, {**self.columns, name: values})


# Plain laws: distributions that depend on nothing. Bounds have names, so that none can be read as a scale.
#
# Each law draws values, says how likely values are (`density`, which "cut class only" needs), between which limits all of
# them are (`limits`), and on what it depends (`causes`).


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


# Laws: how an attribute is drawn, alone or depending on the class and on other attributes.


def _merged(causes: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in causes for name in names))


def _widest(limits: list[tuple[float, float]]) -> tuple[float, float]:
    return min(low for low, _ in limits), max(high for _, high in limits)


class Line(Record):
    """A number that changes in proportion to another attribute, and stops at two bounds."""

    parent: str
    intercept: float
    slope: float
    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> "Line":
        check_order(self.low, self.high)
        return self

    def at(self, given: Given) -> Floats:
        """Return the number of each row."""
        return np.clip(self.intercept + self.slope * given.columns[self.parent], self.low, self.high)


class Between(Record):
    """Uniform between two bounds of which one or both depend on another attribute."""

    kind: Literal["between"] = "between"
    low: float | Line
    high: float | Line

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        low, high = self._bounds(given)
        return low + (high - low) * rng.uniform(size=given.n)

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        low, high = self._bounds(given)
        return ((values >= low) & (values <= high)) / np.maximum(high - low, 1e-12)

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return _widest([(end.low, end.high) if isinstance(end, Line) else (end, end) for end in (self.low, self.high)])

    @property
    def causes(self) -> tuple[str, ...]:
        """On what it depends."""
        return _merged([(end.parent,) for end in (self.low, self.high) if isinstance(end, Line)])

    def _bounds(self, given: Given) -> tuple[Floats, Floats]:
        low, high = (end.at(given) if isinstance(end, Line) else np.full(given.n, end) for end in (self.low, self.high))
        return low, np.maximum(low, high)


class PerClass(Record):
    """One law for each class: the simplest way to make a bias."""

    kind: Literal["per_class"] = "per_class"
    classes: dict[str, "Law"]

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        drawn = np.empty(given.n)
        for number, name in enumerate(given.class_names):
            which = np.flatnonzero(given.classes == number)
            drawn[which] = self.classes[name].draw(given.rows(which), rng)
        return drawn

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        likely = np.empty(given.n)
        for number, name in enumerate(given.class_names):
            which = np.flatnonzero(given.classes == number)
            likely[which] = self.classes[name].density(values[which], given.rows(which))
        return likely

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return _widest([law.limits for law in self.classes.values()])

    @property
    def causes(self) -> tuple[str, ...]:
        """On what it depends."""
        return _merged([(CLASS,), *(law.causes for law in self.classes.values())])


class Piece(Record):
    """The law where the parent is below a value; the last piece has none."""

    below: float | None = None
    law: "Law"


class ByRange(Record):
    """One law for each range of another attribute."""

    kind: Literal["by_range"] = "by_range"
    parent: str
    pieces: tuple[Piece, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ordered(self) -> "ByRange":
        ends = [piece.below for piece in self.pieces]
        if ends[-1] is not None or None in ends[:-1] or ends[:-1] != sorted({end for end in ends if end is not None}):
            raise ValueError("give every piece but the last a `below`, each larger than the one before")
        return self

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        drawn, where = np.empty(given.n), self._pieces(given)
        for number, piece in enumerate(self.pieces):
            which = np.flatnonzero(where == number)
            drawn[which] = piece.law.draw(given.rows(which), rng)
        return drawn

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        likely, where = np.empty(given.n), self._pieces(given)
        for number, piece in enumerate(self.pieces):
            which = np.flatnonzero(where == number)
            likely[which] = piece.law.density(values[which], given.rows(which))
        return likely

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return _widest([piece.law.limits for piece in self.pieces])

    @property
    def causes(self) -> tuple[str, ...]:
        """On what it depends."""
        return _merged([(self.parent,), *(piece.law.causes for piece in self.pieces)])

    def _pieces(self, given: Given) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        ends = [piece.below for piece in self.pieces if piece.below is not None]
        return np.searchsorted(np.array(ends), given.columns[self.parent], side="right")


class Share(Record):
    """A law in a mixture, and how often it is drawn, in proportion."""

    weight: float = Field(gt=0)
    law: "Law"


class Mixture(Record):
    """Several laws, of which each draw takes one."""

    kind: Literal["mixture"] = "mixture"
    shares: tuple[Share, ...] = Field(min_length=1)

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        where = rng.choice(len(self.shares), size=given.n, p=self._weights())
        drawn = np.empty(given.n)
        for number, share in enumerate(self.shares):
            which = np.flatnonzero(where == number)
            drawn[which] = share.law.draw(given.rows(which), rng)
        return drawn

    def density(self, values: Floats, given: Given) -> Floats:
        """Return how likely each value is."""
        parts = [
            weight * share.law.density(values, given)
            for weight, share in zip(self._weights(), self.shares, strict=True)
        ]
        total: Floats = np.sum(parts, axis=0)
        return total

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return _widest([share.law.limits for share in self.shares])

    @property
    def causes(self) -> tuple[str, ...]:
        """On what it depends."""
        return _merged([share.law.causes for share in self.shares])

    def _weights(self) -> Floats:
        weights = np.array([share.weight for share in self.shares])
        shares: Floats = weights / weights.sum()
        return shares


class Computed(Record):
    """A law of your own, in Python: a function of the given rows and a generator. It cannot be written to a file."""

    kind: Literal["computed"] = "computed"
    function: SkipValidation[Callable[[Given, Rng], Floats]]
    parents: tuple[str, ...] = ()
    """What it depends on: attributes, or "class"."""
    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> "Computed":
        check_order(self.low, self.high)
        return self

    def draw(self, given: Given, rng: Rng) -> Floats:
        """Return one value for each row."""
        drawn = np.asarray(self.function(given, rng), dtype=np.float64)
        if drawn.shape != (given.n,) or not ((drawn >= self.low) & (drawn <= self.high)).all():
            raise MaterialsError(
                f"A computed attribute gave values of shape {drawn.shape} for {given.n} rows, or values outside "
                f"{self.low:g} to {self.high:g}. Return one value inside for each row."
            )
        return drawn

    def density(self, values: Floats, given: Given) -> Floats:
        """Refuse: nobody knows how likely the values of a function are."""
        raise MaterialsError(
            'How likely a computed attribute is cannot be known, so its class cannot be cut alone. Use the mode "all_parents".'
        )

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.low, self.high

    @property
    def causes(self) -> tuple[str, ...]:
        """On what it depends."""
        return self.parents


Law: TypeAlias = Annotated[
    Constant | Uniform | TruncatedNormal | Beta | Choice | Between | PerClass | ByRange | Mixture | Computed,
    Field(discriminator="kind"),
]
"""Any way to draw an attribute."""

for _record in (PerClass, Piece, ByRange, Share, Mixture):
    _record.model_rebuild()
