"""Strategy: one informed pass over the dials, hill climbing dial by dial, or undirected loops."""

from typing import ClassVar

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath, Visit
from understudy.registry import register
from understudy.schema import Scale

NEAR_BEST = 0.05
"""A visit ends at its best if its last error is this close to its lowest, as a share of the visit's range."""


@register("measures", "first_visit_share")
class FirstVisitShare(DialMeasure):
    """The share of the distance that was moved in the first visit of each dial; 1 for a single pass."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None if nothing moved."""
        return _first_visit_share(path)


@register("measures", "hill_climb_share")
class HillClimbShare(DialMeasure):
    """The share of visits with a reversal, weighted by distance, that ended where the error was lowest."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None if no visit had a reversal."""
        return _hill_climb_share(path)


@register("measures", "strategy_index")
class StrategyIndex(DialMeasure):
    """From 1 (a single informed pass) to -1 (hill climbing over many passes); loops without aim are in between.

    The first-visit share minus the hill-climb share of the rest; without reversals, nothing is subtracted.
    """

    scale: ClassVar[Scale] = "continuous"
    """Continuous, from -1 to 1."""

    def of_path(self, path: DialPath) -> float | None:
        """Return the index, or None if nothing moved."""
        first = _first_visit_share(path)
        return None if first is None else first - (_hill_climb_share(path) or 0.0) * (1 - first)


def _first_visit_share(path: DialPath) -> float | None:
    total = first = 0.0
    visited: set[int] = set()
    for visit in path.visits:
        total += visit.distance
        first += visit.distance if visit.dial not in visited else 0.0
        visited.add(visit.dial)
    return first / total if total else None


def _hill_climb_share(path: DialPath) -> float | None:
    reversed_visits = [visit for visit in path.visits if visit.n_reversals and visit.distance]
    total = sum(visit.distance for visit in reversed_visits)
    return sum(visit.distance for visit in reversed_visits if _ends_at_its_best(visit)) / total if total else None


def _ends_at_its_best(visit: Visit) -> bool:
    errors = [visit.entered.error, *(snapshot.error for snapshot in visit.moved)]
    return errors[-1] - min(errors) <= NEAR_BEST * (max(errors) - min(errors))
