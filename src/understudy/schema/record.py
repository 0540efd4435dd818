"""Record, the frozen base of everything that goes to disk or to a browser, and its digest."""

import hashlib
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, JsonValue, StringConstraints, ValidationError

from understudy.deferred import Deferred
from understudy.errors import RecordError

if TYPE_CHECKING:
    from understudy.schema import faults, notebook, readable
else:
    faults = Deferred("understudy.schema.faults")
    notebook = Deferred("understudy.schema.notebook")
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
