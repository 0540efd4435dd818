"""Named files: what a dataset says about the files that its items name, so that `check` can look at each of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable


class NamedFile(NamedTuple):
    """A value of an item that names a file, or looks as if it did."""

    item: str
    """Which item, in words: item 3, row 7."""
    field: str
    path: str
    is_declared: bool


@runtime_checkable
class NamesFiles(Protocol):
    """A dataset whose contents may name files, so that `check` can look at each of them."""

    @property
    def file_folder(self) -> Path | None:
        """Where the files are; the folder of the study when absent."""

    def named_files(self) -> Sequence[NamedFile]:
        """Return the files of all items, with undeclared values that end like the name of a picture."""
