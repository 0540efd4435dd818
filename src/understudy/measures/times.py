"""Response time: from showing the page to submitting the answer."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.schema import Event, Json, Record, ResponseGiven, Scale


@register("measures", "response_time")
class ResponseTime(Record):
    """Seconds to the submitted answer, by the clock of the page."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "time"
    counts: Literal["wall", "active"] = "wall"
    """wall: all the time; active: without idle time, if the page recorded it."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return seconds, or None if nothing was submitted."""
        for event in reversed(events):
            if isinstance(event, ResponseGiven):
                elapsed_ms = event.rt_ms if self.counts == "wall" else event.active_ms
                return None if elapsed_ms is None else elapsed_ms / 1000
        return None
