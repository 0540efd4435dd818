"""Confidence as a probability of being right, and how far it misses."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from understudy.measures.answer import last_answer
from understudy.measures.correct import Correct
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, Scale


class _OfConfidence(TrialMeasure):
    question: str = "confidence"
    """A rating or slider that rises with confidence."""
    lowest: float = 1
    highest: float = 5
    """The ends of the rating; the answer in between is divided evenly."""
    at_lowest: float = 0.0
    """The probability that the lowest answer means, such as 0.5 for a guess between two options."""

    @model_validator(mode="after")
    def _ends_in_order(self) -> Self:
        if not self.lowest < self.highest:
            raise ValueError(f"lowest is {self.lowest:g} and highest is {self.highest:g}; lowest must be the smaller.")
        if not 0 <= self.at_lowest < 1:
            raise ValueError(f"at_lowest is {self.at_lowest:g}; give a probability from 0 to below 1.")
        return self

    def stated(self, events: Sequence[Event]) -> float | None:
        """Return the confidence as a probability; None without an answer or outside of the ends."""
        value = last_answer(events, self.question)
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.lowest <= value <= self.highest:
            return None
        share = (value - self.lowest) / (self.highest - self.lowest)
        return self.at_lowest + (1 - self.at_lowest) * share


@register("measures", "stated_confidence")
class StatedConfidence(_OfConfidence):
    """The confidence of an answer as a probability from 0 to 1, for the analysis `calibration`."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    scale: ClassVar[Scale] = "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the probability; None without a rating."""
        return self.stated(events)


class _AgainstKey(_OfConfidence, ABC):
    compares_with_key: ClassVar[bool] = True
    about: str | None = None
    """The question that the confidence is about. Default: all questions with a right answer."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the probability with 1 for a right answer or 0 for a wrong one; None without one of them or a key."""
        stated, right = self.stated(events), Correct(question=self.about).score(events, answers)
        return None if stated is None or right is None else self.compared(stated, right)

    @abstractmethod
    def compared(self, stated: float, right: float) -> float:
        """Return the score of a probability for an answer that is right (1) or wrong (0)."""


@register("measures", "brier")
class Brier(_AgainstKey):
    """The squared distance of confidence from being right (1) or wrong (0): 0 is best, 0.25 is always saying 50 %."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "bounded"

    def compared(self, stated: float, right: float) -> float:
        """Return the squared distance."""
        return (stated - right) ** 2


@register("measures", "overconfidence")
class Overconfidence(_AgainstKey):
    """Confidence less right (1) or wrong (0); its mean is above 0 where people are surer than they are right."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    scale: ClassVar[Scale] = "continuous"
    """A difference of either sign."""

    def compared(self, stated: float, right: float) -> float:
        """Return the difference."""
        return stated - right
