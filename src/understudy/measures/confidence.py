"""Confidence as a probability of being right, and how far it misses."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal, NamedTuple, Self

from pydantic import model_validator

from understudy.measures.answer import Correct, TrialMeasure, last_answer, last_response
from understudy.registry import register
from understudy.schema import Event, Json, ResponseGiven, Scale


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


# Beliefs: whether somebody took a prediction to be right, whether that was so, and how it goes with their ratings.

_ROW = re.compile(r"^(?:option_(?P<option>\d+)_)?row_(?P<row>\d+)$")


class RatedRow(NamedTuple):
    """The rating of one row of a page; `option` is None where the page has no options."""

    option: str | None
    row: int
    """From 1, within its option."""
    rating: float


def row_of_question(question: str) -> tuple[str | None, int] | None:
    """Return option and row that a question is about, such as option_2_row_1; None for other questions."""
    found = _ROW.match(question)
    return None if found is None else (found["option"], int(found["row"]))


def rated_rows(response: Json) -> Iterator[RatedRow]:
    """Yield the ratings of rows in a response."""
    for name, value in response.items():
        place = row_of_question(name)
        if place is not None and isinstance(value, int | float) and not isinstance(value, bool):
            yield RatedRow(*place, float(value))


class _OfBelief(TrialMeasure):
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    question: str = "agreement"
    """A rating that rises with the belief that the prediction is right, or the choice of an option."""
    at_least: float = 3
    """The rating from which somebody believes the prediction."""

    def believes(self, response: Json) -> bool | None:
        """Return whether the rating says so; None without one."""
        value = response.get(self.question)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value >= self.at_least if is_number else None  # type: ignore[operator]

    def split_ratings(self, response: Json) -> tuple[list[float], list[float]]:
        """Return the ratings of rows of the believed class, and those of classes that were not believed."""
        chosen = response.get(self.question)
        belief = self.believes(response)
        groups: tuple[list[float], list[float]] = ([], [])
        for row in rated_rows(response):
            is_believed = belief if row.option is None else row.option == chosen
            if is_believed is not None:
                groups[0 if is_believed else 1].append(row.rating)
        return groups


@register("measures", "believed")
class Believed(_OfBelief):
    """1 if a rating says that the prediction is right, 0 if it says that it is wrong."""

    scale: ClassVar[Scale] = "binary"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the rating with the threshold; None if the question was not answered."""
        given = last_response(events)
        belief = None if given is None else self.believes(given.response)
        return None if belief is None else float(belief)


@register("measures", "recognised")
class Recognised(_OfBelief):
    """1 if a right prediction was believed or a wrong one was not, 0 if not. Chance is one half."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "binary"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    read_facts: ClassVar[tuple[str, ...]] = ("model_is",)

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare belief and truth; None without an answer, or if nobody knows whether the model is right."""
        given = last_response(events)
        model_is = answers.get(given.trial_id, {}).get("model_is") if given is not None else None
        belief = None if given is None else self.believes(given.response)
        return None if belief is None or model_is is None else float(belief == (model_is == "right"))


@register("measures", "row_fact")
class RowFact(TrialMeasure):
    """What the model computed for a rated row: its similarity, or its rank among the rows, 1 for the most similar."""

    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    read_facts: ClassVar[tuple[str, ...]] = ("rows",)
    question: str
    fact: Literal["similarity", "rank"] = "similarity"

    @property
    def scale(self) -> Scale:
        """The scale: a number for a similarity, an order for a rank."""
        return "continuous" if self.fact == "similarity" else "ordinal"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number; None if the page has no such row, or it was not rated."""
        given, place = last_response(events), row_of_question(self.question)
        if given is None or place is None or self.question not in given.response:
            return None
        rows = answers.get(given.trial_id, {}).get("rows")
        known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        own = [row for row in known if row.get("option") == place[0]]
        value = own[place[1] - 1].get(self.fact) if place[1] <= len(own) else None
        return float(value) if isinstance(value, int | float) else None


@register("measures", "rating_by_belief")
class RatingByBelief(_OfBelief):
    """The mean rating of rows that speak for a class which somebody believed, or of the others."""

    scale: ClassVar[Scale] = "bounded"
    of: Literal["believed", "doubted"] = "believed"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the mean; None if the page has no such row."""
        given = last_response(events)
        ratings = self.split_ratings(given.response)[0 if self.of == "believed" else 1] if given is not None else []
        return fmean(ratings) if ratings else None


@register("measures", "belief_gap")
class BeliefGap(_OfBelief):
    """How much higher rows of believed classes were rated than rows of others, over the session."""

    unit: ClassVar[Literal["trial", "session"]] = "session"
    scale: ClassVar[Scale] = "continuous"
    """A difference of either sign."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the difference of the means; None if one of the two kinds is missing."""
        believed: list[float] = []
        doubted: list[float] = []
        for event in events:
            if isinstance(event, ResponseGiven):
                of_page = self.split_ratings(event.response)
                believed += of_page[0]
                doubted += of_page[1]
        return fmean(believed) - fmean(doubted) if believed and doubted else None
