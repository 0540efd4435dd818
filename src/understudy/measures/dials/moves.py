"""Moves: how often dials were reversed, left and revisited."""

from itertools import pairwise
from typing import ClassVar

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath
from understudy.registry import register
from understudy.schema import Scale


@register("measures", "direction_changes")
class DirectionChanges(DialMeasure):
    """How often a dial changed direction during a visit."""

    scale: ClassVar[Scale] = "count"

    def of_path(self, path: DialPath) -> float | None:
        """Count reversals within visits."""
        return float(sum(visit.n_reversals for visit in path.visits))


@register("measures", "dial_switches")
class DialSwitches(DialMeasure):
    """How often the person switched from one dial to another."""

    scale: ClassVar[Scale] = "count"

    def of_path(self, path: DialPath) -> float | None:
        """Return the number of visits minus one."""
        return float(max(len(path.visits) - 1, 0))


@register("measures", "passes")
class Passes(DialMeasure):
    """How many rounds over the dials were made; a new round begins when a dial of the current round is revisited."""

    scale: ClassVar[Scale] = "count"

    def of_path(self, path: DialPath) -> float | None:
        """Count rounds, or return None if nothing moved."""
        if not path.visits:
            return None
        passes, touched = 1, set[int]()
        for visit in path.visits:
            if visit.dial in touched:
                passes, touched = passes + 1, set()
            touched.add(visit.dial)
        return float(passes)


@register("measures", "dial_coverage")
class DialCoverage(DialMeasure):
    """The share of the dials that were touched at all."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share."""
        return len({visit.dial for visit in path.visits}) / path.n_dials


@register("measures", "scan_order")
class ScanOrder(DialMeasure):
    """The share of switches that led to a neighbouring dial."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None without a switch."""
        if len(path.visits) < 2:
            return None
        dials = [visit.dial for visit in path.visits]
        near = [abs(after - before) == 1 for before, after in pairwise(dials)]
        return sum(near) / len(near)
