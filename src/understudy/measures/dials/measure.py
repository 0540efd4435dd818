"""What measures of dials have in common: one number for a question, read off the way the dials were turned."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.dials.paths import DialPath, dial_path
from understudy.schema import Event, Json, Record


class DialMeasure(Record, ABC):
    """Reads the path of a question and leaves what to make of it to its kinds."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Score the path, or return None where no dials were recorded."""
        path = dial_path(events)
        return None if path is None else self.of_path(path)

    @abstractmethod
    def of_path(self, path: DialPath) -> float | None:
        """Return the number, or None where it cannot be told from this path."""
