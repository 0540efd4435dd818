"""Exclusions: declared predicates over a session, when they apply, and what they mean for pay."""

from typing import Literal

from pydantic import Field

from understudy.schema.expression import Expression
from understudy.schema.record import Name, Record


class Exclusion(Record):
    """Takes a session out of the sample when its rule holds; applied in the order of declaration."""

    exclusion_id: Name
    reason: str
    """One plain sentence, shown in the participant flow of the report."""
    applies: Literal["live", "at_close", "annotators"] = "at_close"
    """live: at the end of each block, and the session ends; at_close: when the session is complete;
    annotators: when the tables are made, by the codes that annotators gave; the session keeps its place and its pay."""
    rule: Expression | None = None
    """Over session measures and the session's own quantities. For annotators, over measures of codes; without one,
    researchers decide by separate events."""
    pay_share: float = Field(default=1.0, ge=0, le=1)
    keeps_bonus: bool = True
