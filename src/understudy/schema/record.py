"""Record, the frozen base of everything that goes to disk or to a browser, and its digest."""

import hashlib
import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    StringConstraints,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from understudy.deferred import Deferred
from understudy.errors import RecordError, UnderstudyError

if TYPE_CHECKING:
    from understudy.schema import faults, readable
    from understudy.schema import readable as notebook
else:
    faults = Deferred("understudy.schema.faults")
    notebook = Deferred("understudy.schema.readable")
    readable = Deferred("understudy.schema.readable")

Json: TypeAlias = dict[str, JsonValue]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$", max_length=80)]
"""A name that is safe in file names, column headings and expressions."""

if TYPE_CHECKING:
    # Type checkers know the fields of a record by pydantic's own metaclass.
    from pydantic._internal._model_construction import ModelMetaclass as _Building
else:

    class _Building(type(BaseModel)):
        """How a record is built field by field: a mistake outside of understudy becomes our own sentences.

        Inside, pydantic's error says where the fault is, and the code that catches it words it.
        """

        def __call__(cls, *args: Any, **fields: Any) -> Any:
            try:
                return super().__call__(*args, **fields)
            except ValidationError as error:
                if str(sys._getframe(1).f_globals.get("__name__")).split(".")[0] == "understudy":  # noqa: SLF001
                    raise
                sentences = faults.sentences_from_validation(error, cls)
                raise RecordError([f"{cls.__name__}: {sentence}" for sentence in sentences]) from None
            except TypeError:
                if not args:
                    raise
                first = next(iter(cls.model_fields), "")
                raise RecordError(
                    [f"{cls.__name__} takes its fields by name, such as {cls.__name__}({first}=…)."]
                ) from None


class Record(BaseModel, metaclass=_Building):
    """A frozen, typed value that rejects unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    def _repr_html_(self) -> str:
        return notebook.html_of(self)

    def __str__(self) -> str:
        """Return the fields that were set, in words."""
        return readable.record_words(self)


def canonical_json(value: JsonValue) -> str:
    """Write a JSON value in the one form that digests are taken of: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


TAGS = frozenset({"format", "kind", "type"})
"""Fields that say what a record is; they are always written, so that it can be read back."""


def json_from_record(record: BaseModel) -> Json:
    """Turn a record into plain JSON, leaving out fields that have their default.

    A field that a later version adds with a default therefore does not change the digests of older records.
    """
    return {
        name: _plain(value)
        for name, value in record
        if name in TAGS or value != type(record).model_fields[name].get_default(call_default_factory=True)
    }


def _plain(value: Any) -> JsonValue:
    if isinstance(value, BaseModel):
        # A record with its own serialiser, such as Ref, must keep the form that its digest was taken of.
        has_own_form = bool(type(value).__pydantic_decorators__.model_serializers)
        return value.model_dump(mode="json") if has_own_form else json_from_record(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return cast("JsonValue", value)


def digest_of(value: JsonValue | BaseModel) -> str:
    """Return the SHA-256 of a record or JSON value in canonical form, as hexadecimal."""
    plain = json_from_record(value) if isinstance(value, BaseModel) else value
    return hashlib.sha256(canonical_json(plain).encode()).hexdigest()


# Ref: a registered name with its parameters, so that a study file holds no code.


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


# Seeds: every random choice has a name, and its seed follows from the study's seed and that name.


def seed_from(seed: int, *names: str | int) -> int:
    """Derive the seed of one named choice; the same names always give the same seed.

    >>> seed_from(1, "order", 3) == seed_from(1, "order", 3) != seed_from(1, "order", 4)
    True
    """
    # A separator that names do not contain, so that ("ab", "c") and ("a", "bc") differ.
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
