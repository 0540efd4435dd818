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


RESERVED_COLUMNS = frozenset({
    "base_pay", "block", "bonus", "cast", "condition", "excluded_by", "is_synthetic", "item", "minutes", "n_answers",
    "outcome", "participant", "position", "rt_ms", "session", "step", "trial", "try",
})  # fmt: skip
"""Columns every study's tables have, so that nothing a study declares may be called so."""


def is_reserved(name: str) -> bool:
    """Tell whether a name belongs to a column that is there anyway, an answer's included."""
    return name in RESERVED_COLUMNS or name.startswith("answer.")
