"""Session time: how long the session took."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.schema import Event, Json, Record, Scale


@register("measures", "session_minutes")
class SessionTime(Record):
    """Minutes from the first to the last event of the page."""

    unit: ClassVar[Literal["trial", "session"]] = "session"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    scale: ClassVar[Scale] = "time"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return minutes, or None before anything was shown."""
        # Events of the server, such as a late end, are not time that the person spent.
        times = [event.at_ms for event in events if event.stream == "page"]
        return (times[-1] - times[0]) / 60_000 if times else None
