"""Ref: a registered name with its parameters, so that a study file holds no code."""

from typing import Any, Self

from pydantic import JsonValue, model_serializer, model_validator

from understudy.errors import UnderstudyError
from understudy.schema.record import Record


class Ref(Record):
    """Names one entry of a catalogue and how to set it up; a bare string is a name without parameters."""

    name: str
    params: dict[str, JsonValue] = {}

    def __new__(cls, *positions: object, **_fields: object) -> Self:
        """Refuse fields without a name in a sentence; pydantic would speak of its own methods."""
        if positions:
            raise UnderstudyError(f"A Ref takes its fields by name: Ref(name={positions[0]!r}).")
        return super().__new__(cls)

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @model_serializer(mode="plain")
    def _short_where_possible(self) -> str | dict[str, JsonValue]:
        return {"name": self.name, "params": self.params} if self.params else self.name
