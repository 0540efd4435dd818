"""Written text: signs that a free text was not written with care. They flag answers, and exclude nobody."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import ClassVar

from pydantic import Field

from understudy.measures.answer import last_answer
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Interacted, Json, ResponseGiven, Scale


@register("measures", "text_length")
class TextLength(TrialMeasure):
    """How many characters an answer has, without spaces around it."""

    scale: ClassVar[Scale] = "count"
    question: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number, or None if the question was not answered with text."""
        value = last_answer(events, self.question)
        return float(len(value.strip())) if isinstance(value, str) else None


@register("measures", "pasted_text")
class PastedText(TrialMeasure):
    """1 if text was pasted into the answer, 0 if all of it was typed."""

    scale: ClassVar[Scale] = "binary"
    question: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether the page recorded a paste, or None if the question was not answered."""
        if last_answer(events, self.question) is None:
            return None
        return float(
            any(
                isinstance(event, Interacted)
                and event.action == "pasted"
                and event.payload.get("question_id") == self.question
                for event in events
            )
        )


@register("measures", "repeated_text")
class RepeatedText(TrialMeasure):
    """1 if nearly the same text answers another question of the page, 0 if not."""

    scale: ClassVar[Scale] = "binary"
    question: str
    at_least: float = Field(default=0.9, gt=0, le=1)
    """How alike two texts have to be, from 0 to 1 (the ratio of Ratcliff and Obershelp over words)."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the text with every other text of the response; None if the question was not answered."""
        response = next((event.response for event in reversed(events) if isinstance(event, ResponseGiven)), {})
        own = response.get(self.question)
        if not isinstance(own, str) or not own.strip():
            return None
        others = [value for name, value in response.items() if name != self.question and isinstance(value, str)]
        return float(any(self._is_repeated(_words(own), _words(other)) for other in others))

    def _is_repeated(self, text: list[str], other: list[str]) -> bool:
        matcher = SequenceMatcher(None, text, other, autojunk=False)
        # Words and not letters, and quick bounds first: this runs for every pair of texts of every session.
        bounds = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
        return all(bound() >= self.at_least for bound in bounds)


def _words(text: str) -> list[str]:
    """Return the words of a text without case, punctuation and spaces, which people change when they copy."""
    return re.findall(r"\w+", text.lower())
