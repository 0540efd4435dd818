"""Shipped material: files that come with a protocol and that a study names as `shipped:protocol/path`.

A ready study has no folder of its own, and a copy of it must run wherever it is saved, so neither a path from the study
file nor an absolute path would do. Only the folder `material` of a protocol can be named, never other files of the
package.
"""

from pathlib import Path, PurePosixPath
from typing import NamedTuple

PREFIX = "shipped:"
PROTOCOLS = Path(__file__).parents[1] / "protocols"


class Located(NamedTuple):
    """A folder, and the path of a file from there."""

    folder: Path
    written: str

    @property
    def path(self) -> Path:
        """The whole path."""
        return self.folder / self.written


def is_shipped(written: str) -> bool:
    """Tell whether a path names material that comes with a protocol."""
    return written.startswith(PREFIX)


def located(root: Path, written: str) -> Located:
    """Return where a file is that a study names: in the material of a protocol, or else in the study's folder."""
    if not is_shipped(written):
        return Located(root, written)
    protocol, _, rest = written.removeprefix(PREFIX).partition("/")
    # A protocol is one plain name, so that `shipped:../..` cannot lead anywhere else.
    name = protocol if PurePosixPath(protocol).name == protocol and protocol not in ("", "..", ".") else "unknown"
    return Located(PROTOCOLS / name / "material", rest)
