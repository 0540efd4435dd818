"""The codebook: what each column of a table holds."""

from typing import Literal

from understudy.schema.plan import Scale
from understudy.schema.record import Record


class CodebookEntry(Record):
    """Describes one column for readers who do not know the study."""

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


RESERVED_COLUMNS = frozenset({
    "base_pay", "block", "bonus", "cast", "condition", "excluded_by", "flags", "is_pilot", "is_synthetic", "item", "minutes", "n_answers",
    "outcome", "participant", "position", "rt_ms", "session", "step", "trial", "try",
})  # fmt: skip
"""Columns that every study's tables have; nothing that a study declares may have these names."""


def is_reserved(name: str) -> bool:
    """Tell whether a name belongs to a column that every table has, including answers."""
    return name in RESERVED_COLUMNS or name.startswith("answer.")
