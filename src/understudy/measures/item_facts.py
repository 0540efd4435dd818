"""Facts about the item of a trial, as a yes or no that analyses can relate answers to."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.measures.answer import last_response
from understudy.measures.measured_unit import TrialMeasure
from understudy.registry import register
from understudy.schema import Event, Json, Scale


@register("measures", "item_is")
class ItemIs(TrialMeasure):
    """1 if an attribute of the item has a value, 0 if it has another, such as `model_is` with the value `wrong`."""

    scale: ClassVar[Scale] = "binary"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    attribute: str = "model_is"
    value: str = "wrong"

    @property
    def read_facts(self) -> tuple[str, ...]:
        """The attribute."""
        return (self.attribute,)

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Compare the attribute with the value; None without an answer, or if the item lacks the attribute."""
        given = last_response(events)
        found = answers.get(given.trial_id, {}).get(self.attribute) if given is not None else None
        return None if found is None else float(str(found) == self.value)
