"""Field names: suggest the right name for a misspelt field of a record."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel


def advice_on_field(kind: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    """Say which field was probably meant at a location in a record, or which fields exist."""
    known = sorted({name for record in _records_at(kind, loc[:-1]) for name in record.model_fields})
    meant = get_close_matches(str(loc[-1]), known, n=1)
    if meant:
        return f"did you mean {meant[0]}?"
    return f"remove it. Fields are: {', '.join(known)}." if known else "remove it or check its spelling."


def _records_at(kind: type[BaseModel], loc: tuple[int | str, ...]) -> list[type[BaseModel]]:
    kinds = [kind]
    for part in loc:
        inner = [
            record
            for kind in kinds
            if part in kind.model_fields
            for record in _records_in(kind.model_fields[str(part)].annotation)
        ]
        tagged = [kind for kind in kinds if "kind" in kind.model_fields and kind.model_fields["kind"].default == part]
        kinds = tagged or inner or kinds
    return kinds


def _records_in(annotation: Any) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _records_in(part)
