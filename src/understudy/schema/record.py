"""Record, the frozen base of everything that goes to disk or to a browser, and its digest."""

import hashlib
import json
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, StringConstraints

Json: TypeAlias = dict[str, JsonValue]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$", max_length=80)]
"""A name that is safe in a file name, a column heading and an expression's neighbourhood."""


class Record(BaseModel):
    """A frozen, typed value that rejects unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def canonical_json(value: JsonValue) -> str:
    """Write a JSON value in the one form that digests are taken of: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def json_from_record(record: BaseModel) -> Json:
    """Turn a record into plain JSON, leaving out fields that stand at their default.

    Fields that a later version adds with a default therefore leave the digests of older records alone.
    """
    return record.model_dump(mode="json", exclude_defaults=True)


def digest_of(value: JsonValue | BaseModel) -> str:
    """Return the SHA-256 of a record or JSON value in canonical form, as hexadecimal."""
    plain = json_from_record(value) if isinstance(value, BaseModel) else value
    return hashlib.sha256(canonical_json(plain).encode()).hexdigest()
