"""Assets: marks for fields that name a file, or an entry that may name one, so that files are found and checked."""

from collections.abc import Container, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, StringConstraints

from understudy.schema.record import Record, Ref

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


# Served files: the address under which a browser finds a file of the study, and the addresses in a record.

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


# Browser modules: which file of a study draws which task or kind of explanation that the page does not know itself.


class BrowserModules(Record):
    """The ES modules that extensions bring, by what they draw."""

    tasks: dict[str, FileAddress] = {}
    """Task -> the module that draws its page."""
    kinds: dict[str, FileAddress] = {}
    """Kind of explanation -> the module that has its view."""
