"""Slide distance: how far the dials moved, and how directly."""

from typing import ClassVar, Literal

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath
from understudy.registry import register
from understudy.schema import Scale


@register("measures", "slide_distance")
class SlideDistance(DialMeasure):
    """How far all dials moved in total, in widths of a slider; a choice counts as one width."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "continuous"
    """A length without an upper limit."""

    def of_path(self, path: DialPath) -> float | None:
        """Return the distance in widths."""
        return path.distance


@register("measures", "path_efficiency")
class PathEfficiency(DialMeasure):
    """The distance from start to end over the distance moved; 1 is a straight path."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None if nothing moved."""
        if path.distance == 0:
            return None
        # Rounding can lift the ratio just above 1.
        return min(path.net_distance / path.distance, 1.0)
