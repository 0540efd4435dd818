"""Results: what people are told about how they did, made by the server after the part it is about."""

from typing import Literal

from pydantic import Field

from understudy.schema.record import Record


class ResultGroup(Record):
    """Predictions of one kind: how many there were, how many were recognised, and the person's own ratings of them."""

    kind: Literal["right", "wrong"]
    """Whether the predictions were right."""
    n: int = Field(ge=0)
    n_recognised: int = Field(ge=0)
    ratings: tuple[int, ...] = ()
    """In the order in which they were given."""


class ShownResult(Record):
    """How somebody did in one part, by a named rule."""

    rule: Literal["median_split", "share_correct"]
    title: str = ""
    n: int = Field(ge=1)
    n_right: int = Field(ge=0)
    chance: float | None = None
    """The share that guessing would get right."""
    points: tuple[str, ...] = ()
    """What the points of the rating are called, from the first, so that people read the words that they chose."""
    groups: tuple[ResultGroup, ...] = ()
    """Right and wrong predictions apart, for rules that tell them apart."""
