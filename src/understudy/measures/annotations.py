"""Annotations: the labels that researchers gave a session after reading its texts, each by themselves."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from understudy.measures.measured_unit import SessionMeasure
from understudy.registry import register
from understudy.schema import AnnotationGiven, CodesGiven, Event, Json, Scale

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
