"""Marks fields that name a file of the study, or an entry that may name one, so that it is found and checked."""

from typing import Annotated, Any, TypeAlias, get_args

from pydantic import BaseModel

from understudy.schema.ref import Ref


class Asset:
    """The mark itself."""


class Kept:
    """Marks a field that names an entry of another catalogue."""

    def __init__(self, catalogue: str) -> None:
        self.catalogue = catalogue


AssetPath: TypeAlias = Annotated[str, Asset()]
"""A path relative to the study file."""
DatasetRef: TypeAlias = Annotated[Ref, Kept("datasets")]
"""A dataset that an entry works on."""
ModelRef: TypeAlias = Annotated[Ref, Kept("models")]
"""A model that an entry works on."""
ExplainerRef: TypeAlias = Annotated[Ref, Kept("explainers")]
"""An explainer that an entry works with."""


def asset_fields(entry: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a catalogue entry that name files, alone or in a tuple."""
    return tuple(
        name
        for name, field in entry.model_fields.items()
        if any(isinstance(mark, Asset) for mark in field.metadata) or _is_marked(field.annotation)
    )


def kept_fields(entry: type[BaseModel]) -> dict[str, str]:
    """Return the fields of a catalogue entry that name other entries, alone or in a tuple, with their catalogue."""
    found: dict[str, str] = {}
    for name, field in entry.model_fields.items():
        for mark in (*field.metadata, *_marks(field.annotation)):
            if isinstance(mark, Kept):
                found[name] = mark.catalogue
    return found


def _is_marked(annotation: Any) -> bool:
    return any(isinstance(mark, Asset) for mark in _marks(annotation))


def _marks(annotation: Any) -> list[Any]:
    """Return the marks of a type and of its parts."""
    return [
        *getattr(annotation, "__metadata__", ()),
        *(mark for part in get_args(annotation) for mark in _marks(part)),
    ]
