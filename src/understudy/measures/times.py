"""Response time: from showing the page to submitting the answer."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.answer import last_response
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, Scale


@register("measures", "response_time")
class ResponseTime(TrialMeasure):
    """Seconds to the submitted answer, by the clock of the page and at most what the server saw."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "time"
    counts: Literal["wall", "active"] = "wall"
    """wall: all the time; active: without idle time, if the page recorded it."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return seconds, or None if nothing was submitted."""
        given = last_response(events)
        if given is None:
            return None
        elapsed_ms = given.rt_ms if self.counts == "wall" else given.active_ms
        return None if elapsed_ms is None else elapsed_ms / 1000
