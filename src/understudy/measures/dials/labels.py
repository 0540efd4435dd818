"""Labels: the names people give to dials."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.dials.measure import OfDials
from understudy.registry import register
from understudy.schema import Event, Interacted, Json, Scale, canonical_json


def labels_in(events: Sequence[Event]) -> tuple[str | None, ...] | None:
    """Return the name of each dial at the end of a question: empty if it was deleted, None if none was given.

    Return None instead of the names if the dials had no name fields.
    """
    interactions = [event for event in events if isinstance(event, Interacted)]
    start = next((event.payload for event in interactions if event.action == "question_started"), None)
    initial = None if start is None else start.get("labels")
    if not isinstance(initial, list):
        return None
    labels = [label.strip() or None if isinstance(label, str) else None for label in initial]
    for event in interactions:
        dial, label = event.payload.get("dial"), event.payload.get("label")
        # A client may send any JSON; `type` and not `isinstance`, because True is an int too.
        if event.action == "labelled" and type(dial) is int and isinstance(label, str) and 0 <= dial < len(labels):
            labels[dial] = label.strip()
    return tuple(labels)


@register("measures", "dial_labels")
class DialLabels(OfDials):
    """The names of all dials at the end of a question, as a JSON list: null if none was given, empty if it was deleted."""

    scale: ClassVar[Scale] = "nominal"
    names_dials: ClassVar[bool] = True

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the list, or None if there were no name fields."""
        labels = labels_in(events)
        return None if labels is None else canonical_json(list(labels))


@register("measures", "label_coverage")
class LabelCoverage(OfDials):
    """The share of dials that have a name at the end of a question."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None if there were no name fields."""
        labels = labels_in(events)
        return sum(map(bool, labels)) / len(labels) if labels else None
