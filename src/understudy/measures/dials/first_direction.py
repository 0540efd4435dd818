"""First direction: whether the first movement of each dial went towards the target."""

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.measures.dials.paths import dial_path
from understudy.registry import register
from understudy.schema import Event, Interacted, Json, Record, Scale


@register("measures", "first_direction_accuracy")
class FirstDirectionAccuracy(Record):
    """The share of dials whose first movement went towards the target's setting; 0.5 is chance.

    Says little of dials that have no effect or work the same in both directions; name these in `without`.
    """

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    attribute: str = "target_code"
    """What the items call the code behind the target."""
    at_least: float = Field(default=0.05, ge=0, lt=1)
    """How far from the target a dial must start to count, in widths."""
    without: tuple[int, ...] = ()
    """Dials to leave out, counted from 0."""

    @property
    def scale(self) -> Scale:
        """A share."""
        return "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None where no dial counts or the target's code is not known."""
        path = dial_path(events)
        trial_id = next((one.trial_id for one in events if isinstance(one, Interacted)), "")
        target = answers.get(trial_id, {}).get(self.attribute)
        if path is None or not isinstance(target, str):
            return None
        wanted = path.layout.offsets(np.array([json.loads(target)]) - np.array([path.snapshots[0].code]))[0]
        hits, met = [], set(self.without)
        for visit in path.visits:
            way = visit.moved[0].way
            if visit.dial not in met and way and abs(wanted[visit.dial]) > self.at_least:
                hits.append(bool(way * wanted[visit.dial] > 0))
            met.add(visit.dial)
        return sum(hits) / len(hits) if hits else None
