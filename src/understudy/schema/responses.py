"""Responses: what the page of a task sends back, by question."""

from typing import Literal

from pydantic import ConfigDict
from typing_extensions import TypeAliasType

from understudy.schema.record import Record


class DialsAnswer(Record):
    """The final position of the dials, and whether the target was matched or skipped."""

    code: tuple[float, ...]
    outcome: Literal["solved", "skipped"]


Answer = TypeAliasType(
    "Answer", str | int | float | tuple[str, ...] | dict[str, int] | DialsAnswer | None
)  # fmt: skip
"""An answer to a question of any kind: an option or words, a number, several options or an order, a point for each row,
dials; nothing for an optional question that was left out."""


class Answers(Record):
    """Question id -> answer, for tasks whose questions are written in the study."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Answer]
