"""The codebook: what each column of a table holds."""

from typing import Literal

from understudy.schema.plan import Scale
from understudy.schema.record import Record


class CodebookEntry(Record):
    """Says what one column holds, in words a stranger understands."""

    variable: str
    """The column's heading, exactly."""
    description: str
    type: Literal["text", "number", "integer", "boolean"] = "number"
    unit: str = ""
    """Unit of the values, such as ms; empty when they have none."""
    scale: Scale | None = None
    levels: tuple[str, ...] = ()
    """The possible values of a column that has only a few."""
    source: str = ""
    """Where the values come from: a factor, a measure, a question, the log."""
