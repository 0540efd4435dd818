"""Class folders: photos in a sub-folder for each class, whose name is the class."""

import os
from pathlib import Path
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.sources.pictures import FORMATS
from understudy.sources.safe_paths import path_fault

MAX_NAMED = 20
"""Faults of files that are named one by one."""


_OTHER_FORMATS = (".avif", ".bmp", ".heic", ".heif", ".jfif", ".jp2", ".tif", ".tiff")
"""Endings of photos that would be missed if they were passed over like other files, such as Thumbs.db."""
_UNSHOWN = f"is a photo that not every browser shows. Convert it to one of {', '.join(FORMATS)}, or move it away."


class LabelledFiles(NamedTuple):
    """Files in a fixed order, with the class of each."""

    paths: list[Path]
    labels: list[str]


def files_in_classes(folder: Path) -> LabelledFiles:
    """Return every picture of the sub-folders, by class, then by name."""
    if not folder.is_dir():
        raise MaterialsError(f"There is no folder {str(folder)!r}. Create it, or correct the path.")
    paths: list[Path] = []
    labels: list[str] = []
    faults: list[str] = []
    for name in sorted(child.name for child in folder.iterdir() if child.is_dir()):
        fault = path_fault(folder, name, wants_folder=True)
        if fault is not None:
            faults.append(f"{name!r} {fault}")
            continue
        with os.scandir(folder / name) as entries:
            found = sorted((file.name, file.is_symlink()) for file in entries if not file.name.startswith("."))
        faults += [f"{f'{name}/{file}'!r} {_UNSHOWN}" for file, _ in found if _ending(file) in _OTHER_FORMATS]
        files = [(file, is_link) for file, is_link in found if _ending(file) in FORMATS]
        for file, is_link in files:
            # Only a link can lead out; asking about each of many files would take long.
            inside = f"{name}/{file}"
            fault = path_fault(folder, inside) if is_link else None
            if fault is not None:
                faults.append(f"{inside!r} {fault}")
            paths.append(folder / name / file)
            labels.append(name)
    refuse_files(faults)
    return LabelledFiles(paths, labels)


def no_pictures(folder: Path) -> MaterialsError:
    """Say that a folder has no pictures, and what to put there."""
    return MaterialsError(
        f"{str(folder)!r} has no pictures. Put a sub-folder for each class there, with files that end in "
        f"{', '.join(FORMATS)}, or list files in a table."
    )


def refuse_files(faults: list[str]) -> None:
    """Refuse files by their faults, one line for each."""
    if not faults:
        return
    rest = len(faults) - MAX_NAMED
    more = [f"{rest} more files have such faults."] if rest > 0 else []
    raise MaterialsError("\n".join([*faults[:MAX_NAMED], *more]))


def _ending(name: str) -> str:
    return Path(name).suffix.lower()
