"""Reliance: whether people follow a model's advice where it is right, and only there.

Every measure is 1 or 0 on trials that can show it and missing on all others, so that its mean over a person's trials is
the rate that papers report, and single trials can go into a mixed model.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from pydantic import JsonValue, model_validator

from understudy.measures.answer import TrialMeasure, last_response
from understudy.registry import register
from understudy.schema import Event, Json, Scale


class Decision(NamedTuple):
    """What was decided about one item, what the model advised, and what is right."""

    final: JsonValue
    advice: JsonValue
    right: JsonValue
    initial: JsonValue
    """The decision before the advice; None where nobody asked."""

    @property
    def advice_is_right(self) -> bool:
        """Whether the model was right."""
        return self.advice == self.right


class _OfReliance(TrialMeasure):
    scale: ClassVar[Scale] = "binary"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    question: str = "decision"
    """The decision with the advice in view."""
    advice: str = "prediction"
    """The item's attribute that holds the advice."""
    right: str = "label"
    """The item's attribute that holds the right decision."""

    @property
    def read_facts(self) -> tuple[str, ...]:
        """The advice, and what is right."""
        return self.advice, self.right

    def decision(self, events: Sequence[Event], truth: Mapping[str, Json], initial: str = "") -> Decision | None:
        """Return the decision of a trial; None without an answer, or if advice or truth are unknown."""
        given = last_response(events)
        facts = truth.get(given.trial_id, {}) if given is not None else {}
        if given is None or given.response.get(self.question) is None or facts.get(self.advice) is None:
            return None
        if facts.get(self.right) is None or (initial and given.response.get(initial) is None):
            return None
        first = given.response.get(initial) if initial else None
        return Decision(given.response[self.question], facts[self.advice], facts[self.right], first)


class _AfterInitial(_OfReliance):
    page_needs: ClassVar[Literal["dials", "steps"]] = "steps"
    initial: str = "initial"
    """The decision before the advice, on a page that shows the advice only then. No page of ours does yet."""

    @model_validator(mode="after")
    def _two_questions(self) -> "_AfterInitial":
        if self.initial == self.question:
            raise ValueError(f"{self.initial!r} is both the first decision and the last. Name two questions.")
        return self

    def both(self, events: Sequence[Event], truth: Mapping[str, Json]) -> Decision | None:
        """Return the decision if there was one before the advice too."""
        return self.decision(events, truth, self.initial)


@register("measures", "followed_advice")
class FollowedAdvice(_OfReliance):
    """1 if the decision is what the model advised, 0 if not: the agreement fraction."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare decision and advice; None without both."""
        found = self.decision(events, answers)
        return None if found is None else float(found.final == found.advice)


@register("measures", "over_reliance")
class OverReliance(_OfReliance):
    """1 if wrong advice was followed, 0 if it was not; missing where the advice is right."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare decision and wrong advice."""
        found = self.decision(events, answers)
        return None if found is None or found.advice_is_right else float(found.final == found.advice)


@register("measures", "under_reliance")
class UnderReliance(_OfReliance):
    """1 if right advice was not followed, 0 if it was; missing where the advice is wrong."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare decision and right advice."""
        found = self.decision(events, answers)
        return None if found is None or not found.advice_is_right else float(found.final != found.advice)


@register("measures", "switched")
class Switched(_AfterInitial):
    """1 if somebody who first disagreed with the advice then followed it, 0 if not: the switch fraction."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare decision and advice; None where the first decision was the advice already."""
        found = self.both(events, answers)
        return None if found is None or found.initial == found.advice else float(found.final == found.advice)


@register("measures", "relative_ai_reliance")
class RelativeAiReliance(_AfterInitial):
    """1 if right advice corrected a wrong first decision, 0 if it did not: RAIR (Schemmer et al. 2023)."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether the decision is right; None unless the first was wrong and the advice right."""
        found = self.both(events, answers)
        is_case = found is not None and found.initial != found.right and found.advice_is_right
        return float(found.final == found.right) if found is not None and is_case else None


@register("measures", "relative_self_reliance")
class RelativeSelfReliance(_AfterInitial):
    """1 if a right first decision withstood wrong advice, 0 if it did not: RSR (Schemmer et al. 2023)."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether the decision is right; None unless the first was right and the advice wrong."""
        found = self.both(events, answers)
        is_case = found is not None and found.initial == found.right and not found.advice_is_right
        return float(found.final == found.right) if found is not None and is_case else None
