"""Path: the edits that lead to the other answer, one step at a time."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.record import Json, Record


class Edit(Record):
    """One change: of a feature's value, or of the word at a position."""

    feature: str | None = None
    position: int | None = Field(default=None, ge=0)
    old: str
    new: str

    @model_validator(mode="before")
    @classmethod
    def _read_old_names(cls, value: Any) -> Any:
        # Version 0.1.0 called the two ends `from` and `to`.
        if isinstance(value, Mapping) and {"from", "to"} <= value.keys():
            rest = {name: part for name, part in value.items() if name not in ("from", "to")}
            return {**rest, "old": value["from"], "new": value["to"]}
        return value


class PathStep(Record):
    """The model's margin after some edits, all counted from the original input."""

    margin: float | None = None
    edits: tuple[Edit, ...]


class EditPath(Explanation):
    """The input, the evidence for it, and the steps to an input with the other answer."""

    kind: Literal["path"] = "path"
    input: Json = {}
    toward: str
    """The label at the end of the path."""
    margin: float | None = None
    """The evidence before any edit: positive for the second label, negative for the first."""
    labels: tuple[str, ...] = ()
    steps: tuple[PathStep, ...] = ()

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The labels that the path may lead away from."""
        return tuple(label for label in self.labels if label != self.toward)
