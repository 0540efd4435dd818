"""Ref: a registered name with its parameters, so that a study file holds no code."""

import math
from collections.abc import Mapping
from typing import Any, Self

from pydantic import JsonValue, field_validator, model_serializer, model_validator

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

    @field_validator("params")
    @classmethod
    def _finite(cls, params: dict[str, JsonValue]) -> dict[str, JsonValue]:
        # JSON may say Infinity and NaN, and pydantic takes plain JSON values as they are written.
        for name, value in params.items():
            if not _is_finite(value):
                raise ValueError(f"{name} is {value}, but must be a finite number.")
        return params

    @model_serializer(mode="plain")
    def _short_where_possible(self) -> str | dict[str, JsonValue]:
        return {"name": self.name, "params": self.params} if self.params else self.name


def _is_finite(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
