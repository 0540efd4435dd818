"""Item sets, and the stimuli that preparing them yields."""

from pydantic import Field, JsonValue

from understudy.schema.explanations import AnyExplanation
from understudy.schema.record import Json, Name, Record
from understudy.schema.ref import Ref


class ItemSet(Record):
    """A named collection of items drawn from a dataset under balance rules."""

    name: Name
    n_items: int = Field(ge=1)
    dataset: Ref | None = None
    """Where items come from; the study's bindings decide when absent."""
    strata: tuple[str, ...] = ()
    """Item attributes to balance over: each combination appears equally often, exactly."""
    apart_from: tuple[str, ...] = ()
    """Other sets that must share no item with this one."""
    rotates_over: str | None = None
    """A within-factor over whose levels the items are dealt in a Latin square, so that a person meets each
    item once and each item is met under each level equally often."""


class Stimulus(Record):
    """One prepared item: what may be shown, and what must not be."""

    stimulus_id: str
    content: Json
    explanation: AnyExplanation | None = None
    truth: Json = {}
    """What is known and never sent to a browser: label, prediction, correctness and the like."""
    strata: dict[str, JsonValue] = {}
