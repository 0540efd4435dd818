"""Dial names: what people called one dial of a model."""

from understudy.schema.finding import Interval
from understudy.schema.record import Record


class DialNames(Record):
    """What people called one dial of one model, and how far they agree; None if that is unknown."""

    group: str
    """Levels of the factors that choose the model."""
    dial: int
    """Counted from 1, as on the page."""
    n_people: int
    """How many people saw the model."""
    n_named: int
    common: tuple[tuple[str, int], ...] = ()
    """The most common names, as people wrote them most often, with how many gave them."""
    n_same: int = 0
    """Pairs of people who gave the same name."""
    n_pairs: int = 0
    agreement: float | None = None
    """Mean similarity of names over pairs of people, 1 for the same."""
    interval: Interval | None = None
    elsewhere: float | None = None
    """Mean similarity of this dial's names to other people's names for other dials."""
