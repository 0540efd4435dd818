"""Named files: the files that the items of a dataset name, so that `check` can inspect each of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable


class NamedFile(NamedTuple):
    """A value of an item that names a file, or looks like a file name."""

    item: str
    """Which item, in words: item 3, row 7."""
    field: str
    path: str
    is_declared: bool


@runtime_checkable
class NamesFiles(Protocol):
    """A dataset whose contents may name files."""

    @property
    def file_folder(self) -> Path | None:
        """The folder of the files; by default the folder of the study."""

    def named_files(self) -> Sequence[NamedFile]:
        """Return the files of all items, with undeclared values that end like the name of a picture."""
