"""Laws: how an attribute is drawn, alone or depending on the class and on other attributes."""

from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field, SkipValidation, model_validator

from understudy.errors import MaterialsError
from understudy.roles import Floats, Rng
from understudy.schema import Record
from understudy.sources.worlds.given import CLASS, Given
from understudy.sources.worlds.plain_laws import Beta, Choice, Constant, TruncatedNormal, Uniform, check_order


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
