"""Times within a question with dials: to the first move, to the match, and after it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.answer import last_response
from understudy.measures.dials.measure import DialMeasure, OfDials
from understudy.measures.dials.paths import DialPath
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Interacted, Json, Scale


class _TimeToAction(DialMeasure):
    scale: ClassVar[Scale] = "time"
    action: ClassVar[str]

    def of_path(self, path: DialPath) -> float | None:
        """Return seconds, or None if it never happened."""
        return path.at_s(self.action)


@register("measures", "time_to_first_move")
class TimeToFirstMove(_TimeToAction):
    """Seconds from the start of the question to the first move of a dial."""

    action: ClassVar[str] = "changed"


@register("measures", "time_to_solve")
class TimeToSolve(_TimeToAction):
    """Seconds from the start of the question to the change that made the match."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    action: ClassVar[str] = "solved"


@register("measures", "solved_response_time")
class SolvedResponseTime(OfDials):
    """Seconds from the question to the answer, of solved questions only; skipped ones have no such time."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "time"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return seconds, or None if the question was skipped."""
        given = last_response(events)
        is_solved = any(isinstance(event, Interacted) and event.action == "solved" for event in events)
        return given.rt_ms / 1000 if given is not None and is_solved else None


@register("measures", "post_solve_latency")
class PostSolveLatency(DialMeasure):
    """Seconds from the match to pressing the button."""

    scale: ClassVar[Scale] = "time"

    def of_path(self, path: DialPath) -> float | None:
        """Return seconds, or None if there was no match."""
        solved, finished = path.at_s("solved"), path.at_s("finished")
        return None if solved is None or finished is None else max(finished - solved, 0.0)


@register("measures", "idle_share")
class IdleShare(TrialMeasure):
    """The share of the response time without activity."""

    scale: ClassVar[Scale] = "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None if the page recorded no active time."""
        given = last_response(events)
        if given is None or given.active_ms is None or given.rt_ms == 0:
            return None
        return min(max(1 - given.active_ms / given.rt_ms, 0.0), 1.0)
