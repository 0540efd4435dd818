"""The common part of dial measures: they need a page with dials, and most read the path of the dials and score it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.dials.paths import DialPath, dial_path
from understudy.measures.measured_unit import TrialMeasure
from understudy.schema import Event, Json


class OfDials(TrialMeasure):
    """Reads what people do with dials."""

    page_needs: ClassVar[Literal["dials", "steps"]] = "dials"


class DialMeasure(OfDials, ABC):
    """Reads the path of the dials in a question; each measure scores it in its own way."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Score the path, or return None if no dials were recorded."""
        path = dial_path(events)
        return None if path is None else self.of_path(path)

    @abstractmethod
    def of_path(self, path: DialPath) -> float | None:
        """Return the number, or None if this path does not determine it."""
