"""Labels: the names people give to dials once they have an idea what they do."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.schema import Event, Interacted, Json, Record, Scale, canonical_json


def labels_in(events: Sequence[Event]) -> tuple[str | None, ...] | None:
    """Return the name each dial carries at the end of a question; empty where one was taken back, None where none was.

    None altogether where no dials with fields for names were shown.
    """
    shown = [one for one in events if isinstance(one, Interacted)]
    start = next((one.payload for one in shown if one.action == "question_started"), None)
    carried = None if start is None else start.get("labels")
    if not isinstance(carried, list):
        return None
    labels = [one.strip() or None if isinstance(one, str) else None for one in carried]
    for one in shown:
        dial, label = one.payload.get("dial"), one.payload.get("label")
        if one.action == "labelled" and type(dial) is int and isinstance(label, str) and 0 <= dial < len(labels):
            labels[dial] = label.strip()
    return tuple(labels)


@register("measures", "dial_labels")
class DialLabels(Record):
    """The names of all dials at the end of a question, as a list in JSON: null without one, empty where taken back."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    names_dials: ClassVar[bool] = True

    @property
    def scale(self) -> Scale:
        """Words."""
        return "nominal"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the list, or None where there were no fields for names."""
        labels = labels_in(events)
        return None if labels is None else canonical_json(list(labels))


@register("measures", "label_coverage")
class LabelCoverage(Record):
    """Share of the dials that carry a name at the end of a question."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None where there were no fields for names."""
        labels = labels_in(events)
        return sum(map(bool, labels)) / len(labels) if labels else None
