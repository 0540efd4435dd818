"""Prototype matches: regions of a photo, each compared with a region of an earlier photo that the model learned from."""

from typing import Literal

from pydantic import Field

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.picture import Region, ShownPicture
from understudy.schema.record import Record


class PrototypeMatch(Record):
    """One comparison: a region of the explained photo, and the prototype it was found similar to."""

    row_id: str
    """Identifies the comparison among those of its item. It tells neither the class nor the rank."""
    region: Region
    """In the explained photo."""
    source: ShownPicture
    """The photo that the prototype was taken from."""
    source_region: Region
    similarity: float | None = None
    """What the model computed; None if the page must not say."""


class PrototypeMatches(Explanation):
    """The comparisons that speak for one class, in the order in which they are shown."""

    kind: Literal["prototype_matches"] = "prototype_matches"
    picture: ShownPicture
    rows: tuple[PrototypeMatch, ...] = Field(min_length=1)
