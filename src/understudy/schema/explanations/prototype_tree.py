"""Prototype tree: all decisions of a model that goes down a tree, and the classes at its ends."""

from typing import Literal

from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.picture import Region, ShownPicture
from understudy.schema.record import Record


class TreeDecision(Record):
    """One decision: is the prototype present in a photo? Each answer leads to another decision or to an end."""

    absent: int
    """The number of the next decision, from 0; -1 - k is the k-th end."""
    present: int
    source: ShownPicture | None = None
    """The photo that the prototype was taken from; None in a sketch."""
    source_region: Region | None = None
    similarity: float | None = None
    """What the model computed for a photo whose way is shown."""
    number: str = ""
    """What the step is called, such as 3b, which a path calls it as well; by default its position in the list."""

    @model_validator(mode="after")
    def _is_shown_whole(self) -> "TreeDecision":
        if (self.source is None) != (self.source_region is None):
            raise ValueError("a decision has a photo without a region, or a region without a photo. Give both or none.")
        return self


class PrototypeTree(Explanation):
    """The decisions, from the root, and what each end is called."""

    kind: Literal["prototype_tree"] = "prototype_tree"
    decisions: tuple[TreeDecision, ...] = Field(min_length=1)
    ends: tuple[str, ...] = Field(min_length=2)
    """Empty names where the page must not say which class an end is."""
    visited: tuple[int, ...] = ()
    """The way of one photo: decisions from the root on and, as in `absent`, the end; empty if no way is shown."""

    @model_validator(mode="after")
    def _is_a_tree(self) -> "PrototypeTree":
        led_to = sorted(at for decision in self.decisions for at in (decision.absent, decision.present))
        expected = sorted([*range(1, len(self.decisions)), *(-1 - end for end in range(len(self.ends)))])
        if led_to != expected:
            raise ValueError(
                f"{len(self.decisions)} decisions and {len(self.ends)} ends are not one tree. Let every decision but the "
                "first, and every end, follow from exactly one answer."
            )
        return self
