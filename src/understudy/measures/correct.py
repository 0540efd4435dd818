"""Correct: whether an answer is correct."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.schema import Event, Json, Record, ResponseGiven, Scale


@register("measures", "correct")
class Correct(Record):
    """1 if the answer equals the key, 0 if not; compares all questions with a key unless one is named."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "binary"
    compares_with_key: ClassVar[bool] = True
    question: str | None = None

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the submitted answer with the key; return None if there is no answer or no key."""
        for event in reversed(events):
            if isinstance(event, ResponseGiven):
                key = answers.get(event.trial_id, {})
                asked = key if self.question is None else ({self.question} & key.keys())
                if not asked:
                    return None
                return float(all(event.response.get(name) == key[name] for name in asked))
        return None
