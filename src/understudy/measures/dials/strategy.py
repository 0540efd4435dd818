"""Strategy: one informed pass over the dials, climbing hills dial by dial, or loops."""

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath, Visit
from understudy.registry import register
from understudy.schema import Scale

NEAR_BEST = 0.05
"""A visit ends at its best when its last error is this near the least one, as a share of the visit's range."""


@register("measures", "first_visit_share")
class FirstVisitShare(DialMeasure):
    """The share of the way that was made in the first visit of each dial; 1 for a single pass."""

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None where nothing moved."""
        return _first_visit_share(path)


@register("measures", "hill_climb_share")
class HillClimbShare(DialMeasure):
    """Of the visits that turned round, weighted by their way, the share that ended where the error was least."""

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None where no visit turned round."""
        return _hill_climb_share(path)


@register("measures", "strategy_index")
class StrategyIndex(DialMeasure):
    """From 1, a single informed pass, down to -1, hill climbing over many passes; loops without aim lie between.

    First-visit share less the hill-climb share of the rest; where no visit turned round, nothing is taken off.
    """

    @property
    def scale(self) -> Scale:
        """A number from -1 to 1."""
        return "continuous"

    def of_path(self, path: DialPath) -> float | None:
        """Return the index, or None where nothing moved."""
        first = _first_visit_share(path)
        return None if first is None else first - (_hill_climb_share(path) or 0.0) * (1 - first)


def _first_visit_share(path: DialPath) -> float | None:
    total = first = 0.0
    met: set[int] = set()
    for visit in path.visits:
        total += visit.distance
        first += visit.distance if visit.dial not in met else 0.0
        met.add(visit.dial)
    return first / total if total else None


def _hill_climb_share(path: DialPath) -> float | None:
    turned = [visit for visit in path.visits if visit.n_reversals and visit.distance]
    total = sum(visit.distance for visit in turned)
    return sum(visit.distance for visit in turned if _ends_at_its_best(visit)) / total if total else None


def _ends_at_its_best(visit: Visit) -> bool:
    errors = [visit.entered.error, *(one.error for one in visit.moved)]
    return errors[-1] - min(errors) <= NEAR_BEST * (max(errors) - min(errors))
