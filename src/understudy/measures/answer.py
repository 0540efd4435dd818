"""Measures of answers: as a number or text, whether right, and scores of scales."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from understudy.registry import register
from understudy.schema import Event, Json, Record, ResponseGiven, Scale

# What measures of trials and of sessions have in common; each says what differs.


class TrialMeasure(Record):
    """One value for each trial, with neither direction better than the other."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"


class SessionMeasure(Record):
    """One value for each session, with neither direction better than the other."""

    unit: ClassVar[Literal["trial", "session"]] = "session"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"


def last_response(events: Sequence[Event]) -> ResponseGiven | None:
    """Return the submitted response, or None."""
    return next((event for event in reversed(events) if isinstance(event, ResponseGiven)), None)


def last_answer(events: Sequence[Event], question: str) -> JsonValue:
    """Return the submitted answer to a question, or None."""
    for event in reversed(events):
        if isinstance(event, ResponseGiven) and question in event.response:
            return event.response[question]
    return None


@register("measures", "answer")
class Answer(TrialMeasure):
    """The number answered: a rating, a slider position, a typed number, or one row of a matrix."""

    question: str
    row: str | None = None
    kind: Literal["ordinal", "count", "bounded", "time", "continuous"] = "ordinal"
    minus: float = 0.0
    """What is subtracted, such as the accuracy that an answer is compared with."""

    @property
    def scale(self) -> Scale:
        """Return the declared scale, because only the study knows what its numbers mean."""
        return self.kind

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number, or None if the question was not answered."""
        value = last_answer(events, self.question)
        if self.row is not None:
            value = value.get(self.row) if isinstance(value, dict) else None
        # True and False are ints in Python, but not numbers that somebody typed.
        return float(value) - self.minus if isinstance(value, int | float) and not isinstance(value, bool) else None


@register("measures", "chosen")
class Chosen(TrialMeasure):
    """1 if the named option was chosen, 0 if another was."""

    scale: ClassVar[Scale] = "binary"
    question: str
    option: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether the option is the answer or among the answers."""
        value = last_answer(events, self.question)
        if value is None:
            return None
        return float(self.option in value if isinstance(value, list) else value == self.option)


@register("measures", "worded")
class Worded(TrialMeasure):
    """The answer as text: a category for agreement tables, or free text for coding."""

    scale: ClassVar[Scale] = "nominal"
    question: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the text, or None if the question was not answered."""
        value = last_answer(events, self.question)
        return value if isinstance(value, str) else None


# Correct: whether an answer is correct.


@register("measures", "correct")
class Correct(TrialMeasure):
    """1 if the answer equals the key, 0 if not; compares all questions with a key unless one is named."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "binary"
    compares_with_key: ClassVar[bool] = True
    question: str | None = None

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the submitted answer with the key; return None if there is no answer or no key."""
        given = last_response(events)
        if given is None:
            return None
        key = answers.get(given.trial_id, {})
        asked = key if self.question is None else ({self.question} & key.keys())
        return float(all(given.response.get(name) == key[name] for name in asked)) if asked else None


# Facts about the item of a trial, as a yes or no that analyses can relate answers to.


@register("measures", "item_is")
class ItemIs(TrialMeasure):
    """1 if an attribute of the item has a value, 0 if it has another, such as `model_is` with the value `wrong`."""

    scale: ClassVar[Scale] = "binary"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    attribute: str = "model_is"
    value: str = "wrong"

    @property
    def read_facts(self) -> tuple[str, ...]:
        """The attribute."""
        return (self.attribute,)

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the attribute with the value; None without an answer, or if the item lacks the attribute."""
        given = last_response(events)
        found = answers.get(given.trial_id, {}).get(self.attribute) if given is not None else None
        return None if found is None else float(str(found) == self.value)


# Scale scores: one number for all items of a scale, with reversed items turned round.

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
