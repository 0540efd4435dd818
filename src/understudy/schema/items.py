"""Item sets, and the stimuli that are prepared from them."""

from typing import Literal

from pydantic import Field, JsonValue

from understudy.schema.explanations import AnyExplanation
from understudy.schema.record import Json, Name, Record
from understudy.schema.ref import Ref


class ItemSet(Record):
    """A named collection of items drawn from a dataset under balance rules."""

    name: Name
    n_items: int = Field(ge=1, le=100_000)
    dataset: Ref | None = None
    """The source of the items; by default the study's bindings decide."""
    strata: tuple[str, ...] = ()
    """Item attributes to balance over: each combination appears equally often, exactly."""
    matched_on: tuple[str, ...] = ()
    """Item attributes, such as prediction, whose values are to be equally common in every stratum, so that they do not
    tell the strata apart; `matching` says how strictly."""
    matching: Literal["near", "exact"] = "near"
    """`near` matches exactly where the data allow it, otherwise as nearly as they do; `exact` refuses to prepare the
    study then."""
    distinct_on: tuple[str, ...] = ()
    """Item attributes, such as label, of which no two items of the set share a value, so that two worked examples are
    not of one class."""
    only: dict[str, str | tuple[str, ...]] = {}
    """Attribute -> the value, or values, that items must have, such as model_is = right."""
    apart_from: tuple[str, ...] = ()
    """Other sets that must share no item with this one."""
    rotates_over: str | None = None
    """A within-factor over whose levels the items are distributed in a Latin square, so that a person sees each
    item once and each item is seen under each level equally often."""
    dealt_over: str | None = None
    """A between-factor, such as stimulus_set, each of whose levels gets its own items: equal parts of the set, each as
    balanced over the strata as its size allows."""


class Stimulus(Record):
    """One prepared item: what may be shown, and what must not be."""

    stimulus_id: str
    content: Json
    explanation: AnyExplanation | None = None
    truth: Json = {}
    """What is never sent to a browser: label, prediction, correctness and so on."""
    strata: dict[str, JsonValue] = {}
