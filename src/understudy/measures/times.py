"""Response time: from the page shown to the answer committed."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.schema import Event, Json, Record, ResponseGiven, Scale


@register("measures", "response_time")
class ResponseTime(Record):
    """Seconds to the committed answer, by the page's own clock."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    counts: Literal["wall", "active"] = "wall"
    """wall: all the time; active: idle stretches taken out, where the page recorded it."""

    @property
    def scale(self) -> Scale:
        """A duration."""
        return "time"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return seconds, or None where nothing was committed."""
        for event in reversed(events):
            if isinstance(event, ResponseGiven):
                elapsed_ms = event.rt_ms if self.counts == "wall" else event.active_ms
                return None if elapsed_ms is None else elapsed_ms / 1000
        return None
