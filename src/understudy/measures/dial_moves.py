"""Moves: how often dials were turned round, left and taken up again."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, Literal

from understudy.measures.dial_paths import dial_path
from understudy.registry import register
from understudy.schema import Event, Json, Record, Scale


@register("measures", "direction_changes")
class DirectionChanges(Record):
    """How often a dial was turned round while it was held."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    @property
    def scale(self) -> Scale:
        """A number of times."""
        return "count"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Count reversals within visits, or return None where no dials were recorded."""
        path = dial_path(events)
        return None if path is None else float(sum(visit.n_reversals for visit in path.visits))


@register("measures", "dial_switches")
class DialSwitches(Record):
    """How often the hand went from one dial to another."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    @property
    def scale(self) -> Scale:
        """A number of times."""
        return "count"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return visits less one, or None where no dials were recorded."""
        path = dial_path(events)
        return None if path is None else float(max(len(path.visits) - 1, 0))


@register("measures", "passes")
class Passes(Record):
    """How many rounds over the dials were made: a new one begins when a dial of the present round is taken up again."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    @property
    def scale(self) -> Scale:
        """A number of rounds."""
        return "count"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Count rounds, or return None where nothing moved."""
        path = dial_path(events)
        if path is None or not path.visits:
            return None
        passes, touched = 1, set[int]()
        for visit in path.visits:
            if visit.dial in touched:
                passes, touched = passes + 1, set()
            touched.add(visit.dial)
        return float(passes)


@register("measures", "dial_coverage")
class DialCoverage(Record):
    """The share of the dials that were touched at all."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None where no dials were recorded."""
        path = dial_path(events)
        return None if path is None else len({visit.dial for visit in path.visits}) / path.n_dials


@register("measures", "scan_order")
class ScanOrder(Record):
    """The share of switches that led to a neighbouring dial."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None without a switch."""
        path = dial_path(events)
        if path is None or len(path.visits) < 2:
            return None
        dials = [visit.dial for visit in path.visits]
        near = [abs(after - before) == 1 for before, after in pairwise(dials)]
        return sum(near) / len(near)
