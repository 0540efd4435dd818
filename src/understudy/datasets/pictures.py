"""Photos: folders and arrays of your own, and the Oxford pets."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Ints, Rng, Sample
from understudy.schema import ArrayPath, AssetPath, FolderPath, Record
from understudy.sources.cases import stratified_split
from understudy.sources.files import array_from_npy, data_folder, path_fault, table_from_csv
from understudy.sources.photos import (
    FOLDER,
    STORED_EDGE,
    Framing,
    PartPoint,
    PetPool,
    Region,
    boxes_from_csv,
    check_box,
    files_in_classes,
    named_boxes,
    no_pictures,
    pets_from_folder,
    points_from_csv,
    refuse_files,
    region_of_boxes,
    region_of_mask,
    size_of,
)
from understudy.sources.picture_pools import (
    ArrayPool,
    Block,
    FilePool,
    PoolPart,
    block_from_file,
    columns_from_npz,
    sample_of_pictures,
)
from understudy.sources.pictures import pixels_from_file


@register("datasets", "oxford_pets")
class OxfordPets(Record):
    """Draws photos of pets of one part, without replacement. `label` is the breed, `kind` is cat or dog.

    The photos are those of the official training list that have a box around the head, so the split is our own: the same
    share of each breed, by a seed.
    """

    part: Literal["train", "test", "all"] = "test"
    test_share: float = Field(default=0.25, gt=0, lt=1)
    split_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    edge: int = Field(default=STORED_EDGE, ge=16, le=1024)
    """Pixels a side."""
    folder: str = ""
    """The folder with the photos; by default, where `understudy data get oxford-pets` puts them."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n photos in random order."""
        numbers = self._numbers()
        return self._sample([numbers[int(k)] for k in rng.permutation(len(numbers))[:n]])

    def whole(self) -> Sample:
        """Return every photo of the part, in the order of the list."""
        return self._sample(self._numbers())

    def regions(self, sample: Sample, *, of: Literal["outline", "head"] = "outline") -> Region:
        """Return where the pet or its head is in each photo of a sample, (n, edge, edge)."""
        pool = self._pool()
        numbers = [int(number) for number in sample.attributes["number"]]
        return pool.outlines(numbers) if of == "outline" else pool.heads(numbers)

    def _pool(self) -> PetPool:
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / FOLDER
        return PetPool(folder, pets_from_folder(folder), self.edge)

    def _numbers(self) -> list[int]:
        labels = [pet.breed for pet in self._pool().pets]
        if self.part == "all":
            return list(range(len(labels)))
        split = stratified_split(labels, test_share=self.test_share, seed=self.split_seed)
        return [int(number) for number in (split.train if self.part == "train" else split.held_out)]

    def _sample(self, numbers: list[int]) -> Sample:
        pool = self._pool()
        pets = [pool.pets[number] for number in numbers]
        attributes: dict[str, Sequence[str | float | int | bool]] = {
            "label": [pet.breed for pet in pets],
            "kind": [pet.kind for pet in pets],
            "number": numbers,
        }
        return sample_of_pictures(PoolPart(pool, numbers), attributes)


# Picture array: your own pictures in .npy or .npz files, read only when they are needed.


@register("datasets", "picture_array")
class PictureArray(Record):
    """Draws uint8 pictures of shape (n, height, width, 3), or (n, height, width), from files of any size.

    In an .npz file, the array `pictures` holds them, and each other array with one value for each picture is an
    attribute; `labels` becomes `label`.
    """

    path: ArrayPath
    """An .npy or .npz file, or a folder of such files, which are read in the order of their names."""
    labels: AssetPath | None = None
    """An .npy file with one label for each picture."""
    label_names: tuple[str, ...] = Field(default=())
    """The names of labels that are numbers from 0 on."""
    table: AssetPath | None = None
    """A CSV file with one row for each picture, in their order; each column is an attribute."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures in random order, without replacement."""
        pool = ArrayPool(self._blocks())
        return self._sample(pool, rng.permutation(pool.shape[0])[:n])

    def whole(self) -> Sample:
        """Return every picture, in the order of the files."""
        pool = ArrayPool(self._blocks())
        return self._sample(pool, np.arange(pool.shape[0]))

    def _sample(self, pool: ArrayPool, places: Ints) -> Sample:
        columns = self._columns(pool)
        return sample_of_pictures(
            PoolPart(pool, places.tolist()), {name: values[places].tolist() for name, values in columns.items()}
        )

    def _blocks(self) -> tuple[Block, ...]:
        blocks = tuple(block_from_file(path) for path in self._files())
        sizes = {block.shape[1:] for block in blocks}
        if len(sizes) > 1:
            raise MaterialsError(
                f"The files in {self.path!r} contain pictures of different sizes: {', '.join(map(str, sorted(sizes)))}. "
                "Put pictures of one size into a folder."
            )
        return blocks

    def _files(self) -> list[Path]:
        path = Path(self.path)
        if not path.is_dir():
            return [path]
        labels = None if self.labels is None else Path(self.labels).resolve()
        inside = sorted(child for child in path.iterdir() if child.suffix in (".npy", ".npz"))
        files = [child for child in inside if child.resolve() != labels]
        if not files:
            raise MaterialsError(f"{self.path!r} has no .npy or .npz files. Put the pictures there.")
        return files

    def _columns(self, pool: ArrayPool) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        inside = [columns_from_npz(block.path) for block in pool.blocks if block.path.suffix == ".npz"]
        if inside and len(inside) == len(pool.blocks):
            shared = set.intersection(*({*part} for part in inside))
            columns = {name: np.concatenate([part[name] for part in inside]) for name in sorted(shared)}
        if "labels" in columns:
            columns["label"] = columns.pop("labels")
        if self.labels is not None:
            columns["label"] = array_from_npy(Path(self.labels))
        if self.table is not None:
            table = table_from_csv(self.table, ())
            columns |= {str(name): table[name].to_numpy(dtype=object) for name in table.columns}
        for name, values in columns.items():
            if values.shape != (pool.shape[0],):
                raise MaterialsError(
                    f"{self.path!r} has {pool.shape[0]} pictures, but {name!r} has the shape {values.shape}. "
                    "Give one value for each picture."
                )
        return self._with_names(columns)

    def _with_names(self, columns: dict[str, Any]) -> dict[str, Any]:
        if not self.label_names:
            return columns
        numbers = columns.get("label")
        if numbers is None or numbers.dtype.kind not in "iu" or not (numbers < len(self.label_names)).all():
            raise MaterialsError(
                f"{self.path!r} has `label_names`, but its labels are not whole numbers below {len(self.label_names)}. "
                "Give one name for each number, or leave the names out."
            )
        return {**columns, "label": np.array(self.label_names, dtype=object)[numbers]}


# Picture folder: your own photos, in a folder for each class or listed in a table.

PHOTO = "photo"
"""The attribute that names the file of an item, where annotations are to be found by it."""


class _Photos(NamedTuple):
    """Files in a fixed order, with what is true of each."""

    paths: list[Path]
    attributes: dict[str, list[str]]


@register("datasets", "picture_folder")
class PictureFolder(Record):
    """Draws PNG, JPEG, WebP or GIF files, without replacement, as RGB pictures of one size.

    Each sub-folder is a class, and its name the attribute `label`, unless a table says what is true of each file.
    People see exactly the pixels that the model gets. The same picture in two files counts as one item.
    """

    folder: FolderPath
    table: AssetPath | None = None
    """A CSV file whose column `path` names files of the folder; each other column, such as `label`, is an attribute."""
    edge: int | None = Field(default=None, ge=1, le=4096)
    """Makes each picture a square with sides of this many pixels. Without it, all pictures must have the same size."""
    fit: Literal["crop", "stretch"] = "crop"
    """Whether a picture that is not square loses its margins or its proportions."""
    allows_monochrome: bool = True
    """Whether a picture without colours is taken, as one with three equal channels."""
    boxes: AssetPath | None = None
    """A CSV file with the columns path, left, top, right and bottom, in pixels: where the thing is in each photo."""
    masks: FolderPath | None = None
    """In place of boxes: a folder with a PNG for each photo, under the same path; the thing is bright in it."""
    points: AssetPath | None = None
    """A CSV file with the columns path, part, x and y, in pixels: where parts of the thing are."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n photos in random order."""
        photos = self._photos()
        return self._sample(photos, [int(k) for k in rng.permutation(len(photos.paths))[:n]])

    def whole(self) -> Sample:
        """Return every photo, in the order of the folder: by class, then by name; or in the order of the table."""
        photos = self._photos()
        return self._sample(photos, list(range(len(photos.paths))))

    def regions(self, sample: Sample) -> Region:
        """Return where the thing is in each picture of a sample of this folder, (n, height, width)."""
        if self.masks is None and self.boxes is None:
            raise MaterialsError(f"{self.folder!r} has no boxes and no masks. Set `boxes` or `masks`.")
        found = {} if self.boxes is None else boxes_from_csv(self.boxes)
        regions = []
        for name in map(str, sample.attributes[PHOTO]):
            framing = self._framing(name)
            if self.masks is not None:
                mask = Path(self.masks) / Path(name).with_suffix(".png")
                regions.append(region_of_mask(mask, framing))
            else:
                regions.append(region_of_boxes(name, named_boxes(found, name), framing))
        return np.stack(regions)

    def part_points(self, sample: Sample) -> list[tuple[PartPoint, ...]]:
        """Return where parts are in each picture of a sample of this folder, in pixels of what is shown."""
        if self.points is None:
            raise MaterialsError(f"{self.folder!r} has no points of parts. Set `points`.")
        found = points_from_csv(self.points)
        names = [str(name) for name in sample.attributes[PHOTO]]
        return [
            tuple(PartPoint(point.part, *self._framing(name).moved(point.x, point.y)) for point in found.get(name, ()))
            for name in names
        ]

    def _framing(self, name: str) -> Framing:
        width, height = size_of(Path(self.folder) / name)
        return Framing(width, height, self.edge, self.fit == "crop")

    def _photos(self) -> _Photos:
        if not Path(self.folder).is_dir():
            raise MaterialsError(f"There is no folder {self.folder!r}. Create it, or correct the path.")
        photos = self._listed() if self.table is not None else self._in_classes()
        if not photos.paths:
            raise no_pictures(Path(self.folder))
        if self.boxes is None and self.masks is None and self.points is None:
            return photos
        names = [path.relative_to(self.folder).as_posix() for path in photos.paths]
        # Checked here and not when regions are needed, so that a wrong box is found before anybody takes part.
        boxes = boxes_from_csv(self.boxes) if self.boxes else {}
        points = points_from_csv(self.points) if self.points else {}
        for table, rows in ((self.boxes, boxes), (self.points, points)):
            _refuse_strangers(Path(self.folder), str(table), rows.keys() - {*names}, names[0])
        for name in boxes.keys() & {*names}:
            framing = self._framing(name)
            for box in boxes[name]:
                check_box(name, box, framing)
        return _Photos(photos.paths, {**photos.attributes, PHOTO: names})

    def _sample(self, photos: _Photos, places: Sequence[int]) -> Sample:
        size = (self.edge, self.edge) if self.edge else _size_of(photos.paths[0])
        pool = FilePool(
            tuple(photos.paths[k] for k in places),
            size,
            resizes=self.edge is not None,
            crops=self.fit == "crop",
            allows_monochrome=self.allows_monochrome,
        )
        return sample_of_pictures(
            pool, {name: [values[k] for k in places] for name, values in photos.attributes.items()}
        )

    def _in_classes(self) -> _Photos:
        files = files_in_classes(Path(self.folder))
        return _Photos(files.paths, {"label": files.labels})

    def _listed(self) -> _Photos:
        table = table_from_csv(str(self.table), ("path",))
        written = [str(value) for value in table["path"]]
        found = (
            (row, path, path_fault(Path(self.folder), path)) for row, path in enumerate(written, start=2)
        )  # fmt: skip
        refuse_files(
            [f"Row {row} of {Path(str(self.table)).name!r}: {path!r} {fault}" for row, path, fault in found if fault]
        )
        others = [str(name) for name in table.columns if name != "path"]
        return _Photos(
            [Path(self.folder) / path for path in written],
            {name: [str(value) for value in table[name]] for name in others},
        )


def _size_of(path: Path) -> tuple[int, int]:
    height, width = pixels_from_file(path).shape[:2]
    return height, width


def _refuse_strangers(folder: Path, table: str, names: Collection[str], such_as: str) -> None:
    """Refuse rows of a table that name no file; rows of files that are left out of the study may stay."""
    strangers = sorted(name for name in names if not (folder / name).is_file())
    if strangers:
        more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise MaterialsError(
            f"{Path(table).name!r} names {', '.join(map(repr, strangers[:3]))}{more}, but there are no such photos in "
            f"{str(folder)!r}. Write each path as it is from that folder, such as {such_as!r}."
        )
