"""Bounds: what all tests of equivalence are told."""

from typing import Self

from pydantic import Field, model_validator

from understudy.schema import Record


class Bounds(Record):
    """The smallest and largest effect that is too small to matter, and the level of the tests."""

    low: float
    high: float
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """The interval of the effect has level 1 - 2 alpha."""
    confidence: float = 0.95
    """The level of the intervals of groups."""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low is {self.low:g} and high is {self.high:g}; low must be the smaller.")
        return self
