"""Item files: check the pictures that items name, and ship those of the drawn items."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.roles import Sample
from understudy.schema import Json
from understudy.sources.picture_metadata import without_metadata
from understudy.sources.pictures import picture_fault
from understudy.sources.safe_paths import path_fault


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
