"""Oxford pets: photos of 37 breeds with boxes of heads and outlines, from the data folder."""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from understudy.errors import MaterialsError
from understudy.roles import Pixels
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.photos.annotations import Box, Framing, Region, region_of_boxes
from understudy.sources.picture_pools import stacked

FOLDER = "oxford-pets-128"
STORED_EDGE = 128
BACKGROUND = 2
"""In the outlines, 1 is the pet, 2 the background and 3 the border between them."""


class Pet(NamedTuple):
    """One photo and what is known about it."""

    name: str
    breed: str
    kind: str
    """cat or dog."""
    head: Box
    """In pixels of the stored photo."""


def pets_from_folder(folder: Path) -> tuple[Pet, ...]:
    """Read the list of photos, in its order."""
    path = folder / "annotations.csv"
    if not path.is_file():
        raise MaterialsError(
            f"There are no Oxford pets in {str(folder)!r}. Run: understudy data get oxford-pets, or set UNDERSTUDY_DATA."
        )
    corners = tuple(f"head_{side}_{STORED_EDGE}" for side in ("xmin", "ymin", "xmax", "ymax"))
    table = table_from_csv(str(path), ("image", "breed", "species", *corners))
    return tuple(
        Pet(name, breed.replace("_", " "), kind, Box(*(float(value) for value in box)))
        for name, breed, kind, *box in table[["image", "breed", "species", *corners]].itertuples(index=False, name=None)
    )


@dataclass(frozen=True)
class PetPool:
    """Photos of pets, each unpacked when it is read."""

    folder: Path
    pets: tuple[Pet, ...]
    edge: int = STORED_EDGE
    _open: dict[str, zipfile.ZipFile] = field(default_factory=dict, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.pets), self.edge, self.edge, 3

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these photos, in this order."""
        return stacked((self._photo(int(index)) for index in indices), (len(indices), self.edge, self.edge, 3))

    def outlines(self, indices: Sequence[int]) -> Region:
        """Return where the pets are, with their borders, (n, edge, edge)."""
        regions = np.empty((len(indices), self.edge, self.edge), dtype=bool)
        for target, index in enumerate(indices):
            with Image.open(BytesIO(self._content("trimaps.zip", f"{self.pets[int(index)].name}.png"))) as trimap:
                values = np.asarray(_sized(trimap, self.edge, Image.Resampling.NEAREST))
            regions[target] = values != BACKGROUND
        return regions

    def heads(self, indices: Sequence[int]) -> Region:
        """Return where the boxes of the heads are, (n, edge, edge)."""
        framing = Framing(STORED_EDGE, STORED_EDGE, self.edge, crops=False)
        return np.stack(
            [region_of_boxes(pet.name, [pet.head], framing) for pet in (self.pets[int(k)] for k in indices)]
        )

    def _photo(self, index: int) -> Pixels:
        with Image.open(BytesIO(self._content("images.zip", f"{self.pets[index].name}.jpg"))) as photo:
            return np.asarray(_sized(photo.convert("RGB"), self.edge, Image.Resampling.LANCZOS))

    def _content(self, archive: str, name: str) -> bytes:
        try:
            if archive not in self._open:
                self._open[archive] = zipfile.ZipFile(self.folder / archive)
            return self._open[archive].read(name)
        except (OSError, KeyError, zipfile.BadZipFile):
            raise MaterialsError(
                f"{str(self.folder / archive)!r} has no {name}. Delete the folder and run: understudy data get oxford-pets"
            ) from None


def _sized(picture: Image.Image, edge: int, method: Image.Resampling) -> Image.Image:
    return picture if picture.size == (edge, edge) else picture.resize((edge, edge), method)
