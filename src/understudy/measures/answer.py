"""Answer: the answer as a number, as a chosen option or as text."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import JsonValue

from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, ResponseGiven, Scale


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
