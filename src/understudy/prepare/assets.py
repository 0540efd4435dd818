"""Assets: files of a study and of its items, served under the digest of their content."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import JsonValue

from understudy.errors import MaterialsError
from understudy.registry import Catalogue, entry
from understudy.roles import Sample
from understudy.schema import AssetKind, Json, Ref, asset_fields, json_from_record, kept_fields
from understudy.sources.files import is_shipped, located, path_fault
from understudy.sources.picture_metadata import without_metadata
from understudy.sources.pictures import FORMATS, picture_fault


class NamedAsset(NamedTuple):
    """A file or folder that an entry is set up with, as written in the study."""

    path: str
    kind: AssetKind

    def fault(self, root: Path) -> str | None:
        """Say why it cannot be used, as the end of a sentence and what to do; None if it can."""
        wants_folder = {"file": False, "folder": True, "either": None}[self.kind]
        folder, written = located(root, self.path)
        return path_fault(folder, written, wants_folder=wants_folder)


def named_assets(catalogue: Catalogue, ref: Ref) -> list[NamedAsset]:
    """Return the files and folders a catalogue entry is set up with."""
    found: list[NamedAsset] = []
    for field, kind in asset_fields(entry(catalogue, ref.name)).items():
        value = ref.params.get(field, [])
        named = value if isinstance(value, list | tuple) else [value]
        found.extend(NamedAsset(str(path), kind) for path in named if path is not None)
    return found


def asset_faults(catalogue: Catalogue, ref: Ref, root: Path) -> Iterator[str]:
    """Yield, for each file or folder that must not or cannot be used, the end of a sentence that names it."""
    for asset in named_assets(catalogue, ref):
        if is_shipped(asset.path):
            if asset.fault(root) is not None:
                yield f"needs {asset.path!r}, which does not come with this version of understudy. Correct the path."
        elif asset.kind == "file" and not (root / asset.path).exists():
            # The commonest fault, in the words that every entry uses.
            yield f"needs the file {asset.path!r}, which is not next to the study. Put it there, or correct the path."
        elif (fault := asset.fault(root)) is not None:
            yield f"names {asset.path!r}, which {fault}"


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
        found.extend(
            Inner(field, cast("Catalogue", kept), Ref.model_validate(given)) for given in named if given is not None
        )
    return found


def with_paths(catalogue: Catalogue, ref: Ref, root: Path) -> Ref:
    """Return the Ref with its files, and those of the entries it names, as paths from where the study file lies."""
    found = _renamed(catalogue, ref, {path: str(located(root, path).path) for path, _ in named_assets(catalogue, ref)})
    return _refilled(catalogue, found, lambda inner: with_paths(inner.catalogue, inner.ref, root))


def with_addresses(catalogue: Catalogue, ref: Ref, root: Path) -> tuple[Ref, dict[str, Path | bytes]]:
    """Return the Ref with its files, and those of the entries it names, as content addresses, and what lies behind.

    Pictures come without their metadata, because what lies behind is published.
    """
    files: dict[str, Path | bytes] = {}
    addresses: dict[str, str] = {}
    for asset in named_assets(catalogue, ref):
        source = located(root, asset.path).path
        if asset.kind == "file" and not source.exists():
            raise MaterialsError(f"{asset.path!r} is not a file next to the study. Put it there, or correct the path.")
        fault = asset.fault(root)
        if fault is not None:
            raise MaterialsError(f"{asset.path!r} {fault}")
        if source.is_dir():
            addresses[asset.path] = _digest_of_listing(source)
        else:
            address, file = _published(source, asset.path)
            addresses[asset.path], files[address] = address, file

    def addressed(one: Inner) -> Ref:
        inner, behind = with_addresses(one.catalogue, one.ref, root)
        files.update(behind)
        return inner

    return _refilled(catalogue, _renamed(catalogue, ref, addresses), addressed), files


def _published(source: Path, written: str) -> tuple[str, Path | bytes]:
    if source.suffix.lower() not in FORMATS:
        return address_of(source), source
    content = source.read_bytes()
    try:
        clean = without_metadata(content)
    except MaterialsError as error:
        raise MaterialsError(f"{written!r} {error}") from None
    return f"{hashlib.sha256(clean).hexdigest()}{source.suffix.lower()}", source if clean == content else clean


def address_of(source: Path) -> str:
    """Return the address under which a file is served: the digest of its content, and its ending."""
    with source.open("rb") as stream:
        return f"{hashlib.file_digest(stream, 'sha256').hexdigest()}{source.suffix.lower()}"


def _digest_of_listing(folder: Path) -> str:
    """Name a folder by the names, sizes and times of its files; reading a large pool would take too long."""
    listing = sorted(
        f"{path.relative_to(folder).as_posix()} {path.stat().st_size} {path.stat().st_mtime_ns}"
        for path in folder.rglob("*")
        if path.is_file()
    )
    return hashlib.sha256("\n".join(listing).encode()).hexdigest()


def _refilled(catalogue: Catalogue, ref: Ref, new: Callable[[Inner], Ref]) -> Ref:
    """Return the Ref with others for those it names; one that stays the same stays as it is written."""
    others = [(inner, new(inner)) for inner in inner_refs(catalogue, ref)]
    params = dict(ref.params)
    for field in {inner.field for inner, other in others if other != inner.ref}:
        written: list[JsonValue] = [json_from_record(other) for inner, other in others if inner.field == field]
        params[field] = written if isinstance(params[field], list | tuple) else written[0]
    return Ref(name=ref.name, params=params)


def _renamed(catalogue: Catalogue, ref: Ref, new: dict[str, str]) -> Ref:
    if not new:
        return ref
    params = dict(ref.params)
    for field in asset_fields(entry(catalogue, ref.name)):
        value = params.get(field)
        if isinstance(value, list | tuple):
            params[field] = [new[str(path)] for path in value]
        elif value is not None:
            params[field] = new[str(value)]
    return Ref(name=ref.name, params=params)


# Item files: check the pictures that items name, and ship those of the drawn items.


class ShippedContents(NamedTuple):
    """Contents with addresses instead of paths, and the file of each address."""

    contents: list[Json]
    files: dict[str, Path | bytes]


def shipped_contents(sample: Sample, chosen: Sequence[int], root: Path) -> ShippedContents:
    """Replace the paths of drawn items by content addresses, or name every file that cannot be shipped."""
    folder = sample.file_folder or root
    contents: list[Json] = []
    files: dict[str, Path | bytes] = {}
    faults: list[str] = []
    for index in chosen:
        content = dict(sample.contents[index])
        for field in sample.file_fields:
            written = str(content[field])
            fault = file_fault(folder, written)
            if fault is not None:
                faults.append(f"An item has {written!r} in {field!r}, which {fault}")
                continue
            try:
                shipped = without_metadata((folder / written).read_bytes())
            except MaterialsError as error:
                faults.append(f"An item has {written!r} in {field!r}, which {error}")
                continue
            address = f"{hashlib.sha256(shipped).hexdigest()}{(folder / written).suffix.lower()}"
            content[field] = address
            files[address] = shipped
        contents.append(content)
    if faults:
        raise MaterialsError("\n".join(dict.fromkeys(faults)))
    return ShippedContents(contents, files)


def file_fault(folder: Path, written: str) -> str | None:
    """Say why a file of an item cannot be shown, as the end of a sentence and what to do; None if it can."""
    return path_fault(folder, written) or picture_fault(folder / written)
