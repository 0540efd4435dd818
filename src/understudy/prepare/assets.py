"""Assets: files of a study, found beside its file and served under the digest of their content."""

import hashlib
from pathlib import Path
from typing import cast

from understudy.errors import MaterialsError
from understudy.registry import Catalogue, entry
from understudy.schema import Ref, asset_fields, kept_fields


def asset_paths(catalogue: Catalogue, ref: Ref) -> list[str]:
    """Return the files a catalogue entry is set up with, as written in the study."""
    found: list[str] = []
    for field in asset_fields(entry(catalogue, ref.name)):
        value = ref.params.get(field, [])
        found.extend(str(one) for one in (value if isinstance(value, list | tuple) else [value]))
    return found


def inner_refs(catalogue: Catalogue, ref: Ref) -> dict[str, tuple[Catalogue, Ref]]:
    """Return the entries that an entry is set up with, by the fields that name them."""
    return {
        field: (cast("Catalogue", kept), Ref.model_validate(ref.params[field]))
        for field, kept in kept_fields(entry(catalogue, ref.name)).items()
        if ref.params.get(field) is not None
    }


def with_paths(catalogue: Catalogue, ref: Ref, root: Path) -> Ref:
    """Return the Ref with its files, and those of the entries it names, as paths from where the study file lies."""
    found = _renamed(catalogue, ref, {path: str(root / path) for path in asset_paths(catalogue, ref)})
    inner = {
        field: with_paths(kept, one, root).model_dump() for field, (kept, one) in inner_refs(catalogue, ref).items()
    }
    return Ref(name=found.name, params={**found.params, **inner})


def with_addresses(catalogue: Catalogue, ref: Ref, root: Path) -> tuple[Ref, dict[str, Path]]:
    """Return the Ref with its files as content addresses, and the file behind each address."""
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
    return _renamed(catalogue, ref, addresses), files


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
