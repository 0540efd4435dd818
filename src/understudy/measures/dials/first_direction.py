"""First direction: whether the first move of each dial was towards the target."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.measures.dials.measure import OfDials
from understudy.measures.dials.paths import dial_path
from understudy.registry import register
from understudy.schema import Event, Interacted, Json, Scale


@register("measures", "first_direction_accuracy")
class FirstDirectionAccuracy(OfDials):
    """The share of dials whose first move was towards the target's setting; 0.5 is chance.

    Not meaningful for dials that have no effect or work the same in both directions; list these in `without`.
    """

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "bounded"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    attribute: str = "target_code"
    """The attribute of the items that contains the code of the target."""
    at_least: float = Field(default=0.05, ge=0, lt=1)
    """How far from the target a dial must start to count, in widths."""
    without: tuple[Annotated[int, Field(le=10_000)], ...] = ()
    """Dials to leave out, counted from 0."""

    @property
    def read_facts(self) -> tuple[str, ...]:
        """The code of the target."""
        return (self.attribute,)

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None if no dial counts or the target's code is unknown."""
        path = dial_path(events)
        trial_id = next((event.trial_id for event in events if isinstance(event, Interacted)), "")
        target = answers.get(trial_id, {}).get(self.attribute)
        if path is None or not isinstance(target, str):
            return None
        wanted = path.layout.offsets(np.array([json.loads(target)]) - np.array([path.snapshots[0].code]))[0]
        hits, visited = [], set(self.without)
        for visit in path.visits:
            direction = visit.moved[0].direction
            # Only the first visit of a dial counts; excluded dials are treated as visited.
            if visit.dial not in visited and direction and abs(wanted[visit.dial]) > self.at_least:
                hits.append(bool(direction * wanted[visit.dial] > 0))
            visited.add(visit.dial)
        return sum(hits) / len(hits) if hits else None
