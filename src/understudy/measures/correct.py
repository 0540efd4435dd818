"""Correct: whether an answer is correct."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.answer import last_response
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, Scale


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
