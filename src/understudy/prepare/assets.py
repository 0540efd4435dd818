"""Assets: files of a study, found beside its file and served under the digest of their content."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import JsonValue

from understudy.errors import MaterialsError
from understudy.registry import Catalogue, entry
from understudy.schema import Ref, asset_fields, json_from_record, kept_fields


def asset_paths(catalogue: Catalogue, ref: Ref) -> list[str]:
    """Return the files a catalogue entry is set up with, as written in the study."""
    found: list[str] = []
    for field in asset_fields(entry(catalogue, ref.name)):
        value = ref.params.get(field, [])
        found.extend(str(one) for one in (value if isinstance(value, list | tuple) else [value]))
    return found


class Inner(NamedTuple):
    """An entry that another entry is set up with, and the field that names it."""

    field: str
    catalogue: Catalogue
    ref: Ref


def inner_refs(catalogue: Catalogue, ref: Ref) -> list[Inner]:
    """Return the entries that an entry is set up with, one after the other where a field names several."""
    found: list[Inner] = []
    for field, kept in kept_fields(entry(catalogue, ref.name)).items():
        value = ref.params.get(field, [])
        named = value if isinstance(value, list | tuple) else [value]
        found.extend(Inner(field, cast("Catalogue", kept), Ref.model_validate(one)) for one in named if one is not None)
    return found


def with_paths(catalogue: Catalogue, ref: Ref, root: Path) -> Ref:
    """Return the Ref with its files, and those of the entries it names, as paths from where the study file lies."""
    found = _renamed(catalogue, ref, {path: str(root / path) for path in asset_paths(catalogue, ref)})
    return _refilled(catalogue, found, lambda one: with_paths(one.catalogue, one.ref, root))


def with_addresses(catalogue: Catalogue, ref: Ref, root: Path) -> tuple[Ref, dict[str, Path]]:
    """Return the Ref with its files, and those of the entries it names, as content addresses, and what lies behind."""
    files: dict[str, Path] = {}
    addresses: dict[str, str] = {}
    for path in asset_paths(catalogue, ref):
        source = root / path
        if not source.is_file():
            raise MaterialsError(f"{path!r} is not a file beside the study. Put it there, or correct the path.")
        with source.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        addresses[path] = f"{digest}{source.suffix}"
        files[addresses[path]] = source

    def addressed(one: Inner) -> Ref:
        inner, behind = with_addresses(one.catalogue, one.ref, root)
        files.update(behind)
        return inner

    return _refilled(catalogue, _renamed(catalogue, ref, addresses), addressed), files


def _refilled(catalogue: Catalogue, ref: Ref, new: Callable[[Inner], Ref]) -> Ref:
    """Return the Ref with others for those it names; one that stays the same stays as it is written."""
    others = [(one, new(one)) for one in inner_refs(catalogue, ref)]
    params = dict(ref.params)
    for field in {one.field for one, other in others if other != one.ref}:
        written: list[JsonValue] = [json_from_record(other) for one, other in others if one.field == field]
        params[field] = written if isinstance(params[field], list | tuple) else written[0]
    return Ref(name=ref.name, params=params)


def _renamed(catalogue: Catalogue, ref: Ref, new: dict[str, str]) -> Ref:
    if not new:
        return ref
    params = dict(ref.params)
    for field in asset_fields(entry(catalogue, ref.name)):
        value = params.get(field)
        if isinstance(value, list | tuple):
            params[field] = [new[str(one)] for one in value]
        elif value is not None:
            params[field] = new[str(value)]
    return Ref(name=ref.name, params=params)
