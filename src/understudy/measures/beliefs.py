"""Beliefs: whether somebody took a prediction to be right, whether that was so, and how it goes with their ratings."""

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal, NamedTuple

from understudy.measures.answer import last_response
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, ResponseGiven, Scale

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
