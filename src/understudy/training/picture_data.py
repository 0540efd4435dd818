"""Pictures with attributes and classes, as arrays on disk and as tensors.

A folder has, for each set NAME, `NAME-pictures.npy` (uint8: picture, row, column, channel), `NAME-attributes.npy` (float32:
picture, attribute) and, except for clones, `NAME-labels.npy` (0 or 1); and `attributes.json` with the name of the
world and of its attributes. Sets are `train`, `test`, `unbiased`, and `clone-ATTRIBUTE`: the test pictures with one attribute drawn
anew.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.sources.arrays import Bytes, Floats

LEVELS = 256
_NAMES = "attributes.json"
_ATTRIBUTES, _PICTURES = "-attributes.npy", "-pictures.npy"
CHUNK = 500
HELD_OUT = 20
"""One unbiased picture in so many tests an observer."""


@dataclass(frozen=True)
class PictureRows:
    """One set of pictures as tensors on the device that learns."""

    levels: Tensor
    """Grey levels 0 to 255: picture, row, column, channel."""
    attributes: Tensor
    labels: Tensor

    def __len__(self) -> int:
        """Count the pictures."""
        return len(self.levels)


@dataclass(frozen=True)
class PictureFolder:
    """A folder of sets of pictures."""

    path: Path

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Names of the attributes, in the order of their columns."""
        stored = self._named()
        return tuple(stored["attributes"] if isinstance(stored, dict) else stored)

    @property
    def world(self) -> str:
        """The world that drew the attributes; empty in older folders, which do not say."""
        stored = self._named()
        return str(stored["world"]) if isinstance(stored, dict) else ""

    def rows(self, name: str, device: torch.device) -> PictureRows:
        """Return one set; clones have the labels of the test pictures, whatever was changed."""
        labels_of = "test" if name.startswith("clone-") else name
        levels, attributes = self._array(f"{name}-pictures"), self._array(f"{name}-attributes")
        labels = self._array(f"{labels_of}-labels")
        if levels.ndim != 4 or levels.dtype != torch.uint8 or levels.shape[3] != 3:
            raise MaterialsError(
                f"{name}-pictures.npy in {self.path} has {tuple(levels.shape)} values of {levels.dtype}. Write uint8 "
                "values (picture, row, column, 3 channels)."
            )
        if not len(levels) == len(attributes) == len(labels):
            raise MaterialsError(
                f"The set {name!r} in {self.path} has {len(levels)} pictures, {len(attributes)} rows of attributes and "
                f"{len(labels)} labels. Write as many of each."
            )
        return PictureRows(levels.to(device), attributes.float().to(device), labels.float().to(device))

    def write_attributes(self, name: str, attributes: Floats, labels: Bytes | None) -> None:
        """Write one set without its pictures; clones have no labels of their own."""
        self.path.mkdir(parents=True, exist_ok=True)
        np.save(self.path / f"{name}{_ATTRIBUTES}", attributes.astype(np.float32))
        if labels is not None:
            np.save(self.path / f"{name}-labels.npy", labels.astype(np.uint8))

    def write_pictures(self, name: str, pictures: Bytes) -> None:
        """Write the pictures of a set."""
        # Written under another name first, so that an interruption leaves no file that looks whole.
        part = self.path / f"{name}.part.npy"
        np.save(part, pictures)
        part.replace(self.path / f"{name}{_PICTURES}")

    def name_attributes(self, names: Sequence[str], world: str) -> None:
        """Write the names of world and attributes; done last, they say that all attributes are there."""
        (self.path / _NAMES).write_text(json.dumps({"world": world, "attributes": list(names)}))

    @property
    def has_attributes(self) -> bool:
        """Whether the attributes of all sets were written."""
        return (self.path / _NAMES).is_file()

    def attributes(self, name: str) -> Floats:
        """Return the attributes of one set."""
        return self._array(f"{name}-attributes").double().numpy()

    def sets_without_pictures(self) -> tuple[str, ...]:
        """Return the sets whose pictures are still to be written."""
        names = sorted(path.name.removesuffix(_ATTRIBUTES) for path in self.path.glob(f"*{_ATTRIBUTES}"))
        return tuple(name for name in names if not (self.path / f"{name}{_PICTURES}").is_file())

    def _named(self) -> Any:
        """Return what `attributes.json` has: names with their world, or in older folders names alone."""
        return json.loads(self._existing(_NAMES).read_text())

    def _array(self, name: str) -> Tensor:
        return torch.from_numpy(np.load(self._existing(f"{name}.npy")))

    def _existing(self, name: str) -> Path:
        path = self.path / name
        if not path.is_file():
            raise MaterialsError(f"{path} is not there. Write the pictures first, or name the folder that has them.")
        return path


def levels_to_values(levels: Tensor) -> Tensor:
    """Return grey levels as numbers between -0.5 and 0.5, in the middle of each level."""
    return (levels.float() + 0.5) / LEVELS - 0.5


def values_to_levels(values: Tensor) -> Tensor:
    """Round numbers between -0.5 and 0.5 to grey levels; what lies outside is cut off."""
    return ((values + 0.5) * LEVELS).floor().clamp(0, LEVELS - 1).to(torch.uint8)


def apart(rows: PictureRows) -> tuple[PictureRows, PictureRows]:
    """Return pictures to learn from, and the last few to test with."""
    n = len(rows) - max(1, len(rows) // HELD_OUT)
    parts = (slice(None, n), slice(n, None))
    first, second = (PictureRows(rows.levels[part], rows.attributes[part], rows.labels[part]) for part in parts)
    return first, second
