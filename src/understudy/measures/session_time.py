"""Session time: how long the session took."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from understudy.measures.measured_unit import SessionMeasure
from understudy.registry import register
from understudy.schema import Event, Json, Scale
from understudy.schema.events import page_span_ms


@register("measures", "session_minutes")
class SessionTime(SessionMeasure):
    """Minutes from the first to the last event of the page without breaks, at most what the server saw."""

    scale: ClassVar[Scale] = "time"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return minutes, or None before anything was shown."""
        # Events of the server, such as a late end, are not time that the person spent.
        span_ms = page_span_ms(events)
        return None if span_ms is None else span_ms / 60_000
