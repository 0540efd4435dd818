"""Measures of texts: signs of carelessness, and codes of annotators."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import ClassVar, Literal

from pydantic import Field

from understudy.measures.answer import SessionMeasure, TrialMeasure, last_answer
from understudy.registry import register
from understudy.schema import AnnotationGiven, CodesGiven, CodesSettled, Event, Interacted, Json, ResponseGiven, Scale


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


# Annotations: the labels that researchers gave a session after reading its texts, each by themselves.

LABELS = ("include", "unsure", "exclude")
"""What an annotator says about a session."""


def labels_by_annotator(events: Sequence[Event], question: str) -> list[str]:
    """Return the last label of each annotator for a question or coding scheme, in the order of the annotators' names."""
    labels: dict[str, str] = {}
    for event in events:
        if isinstance(event, AnnotationGiven) and event.question_id == question:
            labels[event.annotator] = event.code
        elif isinstance(event, CodesGiven) and (event.scheme_id, event.phase) == (question, "closed"):
            labels[event.annotator] = " + ".join(event.codes or ())
            if event.codes is None:
                del labels[event.annotator]
    return [labels[name] for name in sorted(labels)]


class _OfAnnotator(SessionMeasure):
    annotator: int = Field(default=1, ge=1, le=100)
    """Counts the annotators from 1, in the order of their names."""
    about: str = "judgement"
    """What the label is about: a coding scheme of the study, or what researchers wrote next to their labels."""

    @property
    def scheme_id(self) -> str:
        """Empty: a label may be about anything."""
        return ""

    @property
    def read_codes(self) -> tuple[str, ...]:
        """Empty: any label counts."""
        return ()

    def label(self, events: Sequence[Event]) -> str | None:
        """Return the annotator's last label, or None if there is none."""
        labels = labels_by_annotator(events, self.about)
        return labels[self.annotator - 1] if self.annotator <= len(labels) else None


@register("measures", "annotator_label")
class AnnotatorLabel(_OfAnnotator):
    """The label of one annotator, such as include, unsure or exclude."""

    scale: ClassVar[Scale] = "nominal"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the label, or None if this annotator gave none."""
        return self.label(events)


@register("measures", "annotated")
class Annotated(_OfAnnotator):
    """1 if one annotator gave one of the named labels, 0 if another; agreement is computed on this."""

    scale: ClassVar[Scale] = "binary"
    labels: tuple[str, ...] = ("unsure", "exclude")

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether the label is one of those named, or None if this annotator gave none."""
        label = self.label(events)
        return None if label is None else float(label in self.labels)


# Codes: what annotators said about a person's texts, as measures that plans and exclusions read.


@dataclass
class UnitCodes:
    """What was said about one text: the last word of each annotator, and the decision where there is one."""

    given: dict[str, CodesGiven] = field(default_factory=dict)
    """Annotator -> their last codes; people who took theirs back are left out."""
    settled: CodesSettled | None = None
    n_revisions: dict[str, int] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether as many people have coded the text as should."""
        return bool(self.given) and len(self.given) >= max(event.n_wanted for event in self.given.values())

    @property
    def agreed(self) -> tuple[str, ...] | None:
        """The codes that count: those decided upon, or those that everybody gave; None while neither is known."""
        if self.settled is not None:
            return self.settled.codes
        found = {tuple(sorted(event.codes or ())) for event in self.given.values()}
        return found.pop() if self.is_complete and len(found) == 1 else None

    def says(self, codes: Iterable[str]) -> bool | None:
        """Tell whether the text has one of the codes; None while annotators disagree about this or are not done."""
        wanted = frozenset(codes)
        if self.settled is not None:
            return not wanted.isdisjoint(self.settled.codes)
        found = {not wanted.isdisjoint(event.codes or ()) for event in self.given.values()}
        return found.pop() if self.is_complete and len(found) == 1 else None


def fold_codes(units: dict[str, UnitCodes], event: CodesGiven | CodesSettled) -> None:
    """Add one event to what is known about its text."""
    known = units.setdefault(event.unit_id, UnitCodes())
    if isinstance(event, CodesSettled):
        known.settled = event
        return
    known.n_revisions[event.annotator] = event.revision
    if event.codes is None:
        known.given.pop(event.annotator, None)
    else:
        known.given[event.annotator] = event
    # The decision was about what annotators had said before, so that a change asks for another.
    known.settled = None


def codes_in(
    events: Iterable[Event], scheme_id: str, phase: Literal["open", "closed"] = "closed"
) -> dict[str, UnitCodes]:
    """Return what was said about each text by a coding scheme, by the text's mark."""
    units: dict[str, UnitCodes] = {}
    for event in events:
        match event:
            case CodesGiven(scheme_id=read, phase=given_in) if (read, given_in) == (scheme_id, phase):
                fold_codes(units, event)
            case CodesSettled(scheme_id=read) if (read, "closed") == (scheme_id, phase):
                fold_codes(units, event)
    return units


class _OfScheme(SessionMeasure):
    scheme: str
    """The coding scheme, as the study's annotation part names it."""

    @property
    def scheme_id(self) -> str:
        """The coding scheme."""
        return self.scheme

    @property
    def read_codes(self) -> tuple[str, ...]:
        """The codes that the measure asks for; empty for all."""
        return ()


class _OfCodes(_OfScheme):
    codes: tuple[str, ...]

    @property
    def read_codes(self) -> tuple[str, ...]:
        """The codes that the measure asks for."""
        return self.codes

    def said(self, events: Sequence[Event]) -> list[bool | None]:
        """Tell of each text of the person whether it has one of the codes; None for those that are not decided yet."""
        units = codes_in(events, self.scheme).values()
        n_units = max((event.n_units for unit in units for event in unit.given.values()), default=0)
        return [unit.says(self.codes) for unit in units] + [None] * (n_units - len(units))


@register("measures", "coded")
class Coded(_OfCodes):
    """1 if a text of the person has one of the codes, 0 if none has, by what annotators agreed or decided on."""

    scale: ClassVar[Scale] = "binary"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether a text has a code; None while it is open, or if nobody coded a text of the person."""
        said = self.said(events)
        if True in said:
            return 1.0
        return None if None in said or not said else 0.0


@register("measures", "n_coded")
class NumberCoded(_OfCodes):
    """How many texts of the person have one of the codes, by what annotators agreed or decided on."""

    scale: ClassVar[Scale] = "count"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number; None while a text is open, or if nobody coded a text of the person."""
        said = self.said(events)
        return None if None in said or not said else float(said.count(True))


@register("measures", "settled_code")
class SettledCode(_OfScheme):
    """The code of the person's text, by what annotators agreed or decided on; for texts with one code each."""

    scale: ClassVar[Scale] = "nominal"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the code; None while it is open, or if the person's texts have different codes."""
        agreed = {unit.agreed for unit in codes_in(events, self.scheme).values()}
        found = agreed.pop() if len(agreed) == 1 else None
        return found[0] if found is not None and len(found) == 1 else None
