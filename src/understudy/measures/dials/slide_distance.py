"""Slide distance: how far the dials travelled, and how straight."""

from typing import ClassVar, Literal

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath
from understudy.registry import register
from understudy.schema import Scale


@register("measures", "slide_distance")
class SlideDistance(DialMeasure):
    """How far all dials were moved together, in widths of a slider; a choice counts as one width."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"

    @property
    def scale(self) -> Scale:
        """A length without an upper end."""
        return "continuous"

    def of_path(self, path: DialPath) -> float | None:
        """Return widths."""
        return path.distance


@register("measures", "path_efficiency")
class PathEfficiency(DialMeasure):
    """The way from start to end over the way travelled; 1 is straight."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None where nothing moved."""
        if path.distance == 0:
            return None
        return min(path.net_distance / path.distance, 1.0)
