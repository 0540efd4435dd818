"""Served files: the address under which a browser finds a file of the study, and the addresses in a record."""

from collections.abc import Container, Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, StringConstraints

ADDRESS_PATTERN = r"^[0-9a-f]{64}(\.[a-z0-9]{1,8})?$"
"""SHA-256 of the content, and the ending that tells a browser what it is."""

FileAddress: TypeAlias = Annotated[str, StringConstraints(pattern=ADDRESS_PATTERN)]


def files_named_in(value: Any, known: Container[str]) -> Iterator[str]:
    """Yield every served file that a record or JSON value names, in the order of its fields."""
    if isinstance(value, str):
        if value in known:
            yield value
    elif isinstance(value, BaseModel):
        for _, part in value:
            yield from files_named_in(part, known)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from files_named_in(part, known)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from files_named_in(part, known)
