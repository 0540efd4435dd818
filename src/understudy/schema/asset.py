"""Marks fields that name a file of the study, so that it is found, checked and served by its content."""

from typing import Annotated, Any, TypeAlias, get_args

from pydantic import BaseModel


class Asset:
    """The mark itself."""


AssetPath: TypeAlias = Annotated[str, Asset()]
"""A path relative to the study file."""


def asset_fields(entry: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a catalogue entry that name files, alone or in a tuple."""
    return tuple(
        name
        for name, field in entry.model_fields.items()
        if any(isinstance(mark, Asset) for mark in field.metadata) or _is_marked(field.annotation)
    )


def _is_marked(annotation: Any) -> bool:
    marks = getattr(annotation, "__metadata__", ())
    return any(isinstance(mark, Asset) for mark in marks) or any(_is_marked(part) for part in get_args(annotation))
