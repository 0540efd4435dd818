"""Picture array: your own pictures in .npy or .npz files, read only when they are needed."""

from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Ints, Rng, Sample
from understudy.schema import ArrayPath, AssetPath, Record
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.number_files import array_from_npy
from understudy.sources.picture_arrays import ArrayPool, Block, block_from_file, columns_from_npz
from understudy.sources.picture_pools import PoolPart
from understudy.sources.picture_samples import sample_of_pictures


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
