"""Slide distance: how far the dials travelled, and how straight."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.dial_paths import dial_path
from understudy.registry import register
from understudy.schema import Event, Json, Record, Scale


@register("measures", "slide_distance")
class SlideDistance(Record):
    """How far all dials were moved together, in widths of a slider; a choice counts as one width."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"

    @property
    def scale(self) -> Scale:
        """A length without an upper end."""
        return "continuous"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return widths, or None where no dials were recorded."""
        path = dial_path(events)
        return None if path is None else path.distance


@register("measures", "path_efficiency")
class PathEfficiency(Record):
    """The way from start to end over the way travelled; 1 is straight."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None where nothing moved."""
        path = dial_path(events)
        if path is None or path.distance == 0:
            return None
        return min(path.net_distance / path.distance, 1.0)
