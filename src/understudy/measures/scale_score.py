"""Scale scores: one number for all items of a scale, with reversed items turned round."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from understudy.measures.answer import last_answer
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, Scale

TLX = ("mental", "physical", "temporal", "performance", "effort", "frustration")


@register("measures", "scale_score")
class ScaleScore(TrialMeasure):
    """The composite of a scale: mean or sum of its items, reversed ones turned round."""

    scale: ClassVar[Scale] = "continuous"
    question: str
    """The question with the items as rows."""
    points: int = Field(ge=2, le=101)
    reversed: tuple[str, ...] = ()
    """Items that count the other way round."""
    summary: Literal["mean", "sum"] = "mean"
    source: str = ""
    """Where the scale was published."""

    @property
    def meaning(self) -> str:
        """What the codebook says about the score."""
        turned = f", with these items turned round: {'; '.join(self.reversed)}" if self.reversed else ""
        source = f". Source: {self.source}" if self.source else ""
        return (
            f"Composite of the scale {self.question!r}: {self.summary} of its items, 1 to {self.points}{turned}{source}"
        )

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the composite, or None if the scale was not answered."""
        points = self.item_points(last_answer(events, self.question))
        if not points:
            return None
        return fmean(points.values()) if self.summary == "mean" else float(sum(points.values()))

    def item_points(self, answer: JsonValue) -> dict[str, float]:
        """Return the points of each item, all in the same direction; empty without an answer."""
        if not isinstance(answer, dict):
            return {}
        given = {row: float(value) for row, value in answer.items() if isinstance(value, int | float)}
        return {row: self.points + 1 - value if row in self.reversed else value for row, value in given.items()}


@register("measures", "raw_tlx")
class RawTlx(TrialMeasure):
    """Raw TLX: the unweighted mean of the six scales of `nasa_tlx`, from 0 to 100 (Hart, 2006)."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the mean, or None if a scale was not answered."""
        found = [last_answer(events, name) for name in TLX]
        numbers = [float(value) for value in found if isinstance(value, int | float) and not isinstance(value, bool)]
        return fmean(numbers) if len(numbers) == len(TLX) else None
