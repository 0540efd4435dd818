"""Safe paths: a study may only name files inside its folder, so that no other file is published by accident."""

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from understudy.sources.data_folder import data_folder


def path_fault(folder: Path, written: str, *, wants_folder: bool | None = False) -> str | None:
    """Say why a path must not or cannot be used, as the end of a sentence and what to do; None if it can.

    A link may also lead into the data folder, which the user names and not the study.
    """
    # Both flavours, because a study may be written on one system and served on another.
    if PurePosixPath(written).is_absolute() or PureWindowsPath(written).is_absolute():
        return "is an absolute path. Write the path from the folder of the study."
    if ".." in PurePosixPath(written).parts or ".." in PureWindowsPath(written).parts:
        return "leads out of its folder by '..'. Put the file into the folder."
    path = folder / written
    if path.exists() and not _is_inside(path, folder):
        return "is reached by a symbolic link that leads out of its folder. Put the file itself into the folder."
    if wants_folder is not False and path.is_dir():
        return None
    if wants_folder is True or not path.is_file():
        kind = "a folder" if wants_folder else "a file"
        return f"is not {kind} there. Put it there, or correct the path."
    return None


def _is_inside(path: Path, folder: Path) -> bool:
    target = path.resolve()
    return any(target.is_relative_to(root.resolve()) for root in (folder, data_folder(os.environ)))
