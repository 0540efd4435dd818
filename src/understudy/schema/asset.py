"""Assets: marks for fields that name a file, or an entry that may name one, so that files are found and checked."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel

from understudy.schema.ref import Ref

AssetKind: TypeAlias = Literal["file", "folder", "either"]


class Asset:
    """Marks a field that names a file or folder."""

    def __init__(self, kind: AssetKind = "file") -> None:
        self.kind = kind


class Kept:
    """Marks a field that names an entry of another catalogue."""

    def __init__(self, catalogue: str) -> None:
        self.catalogue = catalogue


AssetPath: TypeAlias = Annotated[str, Asset()]
"""A file, by its path from the study file."""
FolderPath: TypeAlias = Annotated[str, Asset("folder")]
"""A folder, by its path from the study file."""
ArrayPath: TypeAlias = Annotated[str, Asset("either")]
"""A file or a folder of files, by its path from the study file."""
DatasetRef: TypeAlias = Annotated[Ref, Kept("datasets")]
"""A dataset that an entry works on."""
ModelRef: TypeAlias = Annotated[Ref, Kept("models")]
"""A model that an entry works on."""
ExplainerRef: TypeAlias = Annotated[Ref, Kept("explainers")]
"""An explainer that an entry works with."""


def asset_fields(entry: type[BaseModel]) -> dict[str, AssetKind]:
    """Return the fields of a catalogue entry that name files or folders, alone or in a tuple, with what they name."""
    return {name: mark.kind for name, mark in _marked_fields(entry) if isinstance(mark, Asset)}


def kept_fields(entry: type[BaseModel]) -> dict[str, str]:
    """Return the fields of a catalogue entry that name other entries, alone or in a tuple, with their catalogue."""
    return {name: mark.catalogue for name, mark in _marked_fields(entry) if isinstance(mark, Kept)}


def _marked_fields(entry: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    """Yield the name of each field with each of its marks."""
    for name, field in entry.model_fields.items():
        for mark in (*field.metadata, *_marks(field.annotation)):
            yield name, mark


def _marks(annotation: Any) -> list[Any]:
    """Return the marks of a type and of its parts."""
    return [
        *getattr(annotation, "__metadata__", ()),
        *(mark for part in get_args(annotation) for mark in _marks(part)),
    ]
