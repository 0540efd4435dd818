"""Readings: the attributes of every picture in a grid, as an observer network sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
from PIL import Image

from understudy.inference.observer import Observer, observer_from_file
from understudy.roles import Floats, Pixels, Rng
from understudy.schema import Impression, PictureGrid, Trial
from understudy.sources.shipped_material import located

_SEEN: dict[tuple[str, ...], Floats] = {}
"""Observer and pictures -> what it reads; pictures are named by their content, so this stays true."""


@dataclass(frozen=True)
class GridReadings:
    """Attribute -> its value in each cell (row, column), in standard deviations; NaN for an empty cell."""

    values: Mapping[str, Floats]

    def seen(self, names: tuple[str, ...], noise: float, rng: Rng) -> list[Floats]:
        """Return the values of those attributes that the observer reads, with a person's own noise."""
        read = [self.values[name] for name in names if name in self.values]
        return [values + noise * rng.standard_normal(values.shape) for values in read]


def grid_readings(trial: Trial, impression: Impression, observer: str) -> GridReadings | None:
    """Read the pictures of the grid on a page; None if the page shows none."""
    grid = trial.explanation
    if not isinstance(grid, PictureGrid):
        return None
    addresses = [[cell.picture.file if cell is not None else None for cell in row] for row in grid.rows]
    path = located(Path(), observer).path
    opened, rows = _opened(path), iter(_read(path, [*filter(None, chain(*addresses))], impression.pictures))
    table = np.array([[next(rows) if address else _unread(opened) for address in row] for row in addresses])
    spreads = np.array(opened.spreads)
    return GridReadings({name: table[:, :, k] / spreads[k] for k, name in enumerate(opened.attributes)})


def _unread(observer: Observer) -> Floats:
    return np.full(len(observer.attributes), np.nan)


def _read(path: Path, addresses: list[str], pictures: Mapping[str, bytes]) -> Floats:
    """Return the attributes of each picture; the network looks at each grid once, for everybody."""
    key = (str(path), *addresses)
    if key not in _SEEN:
        observer = _opened(path)
        _, height, width = observer.card.size
        _SEEN[key] = observer.read(np.stack([_pixels(pictures[address], (width, height)) for address in addresses]))
    return _SEEN[key]


@lru_cache(maxsize=4)
def _opened(path: Path) -> Observer:
    return observer_from_file(path)


def _pixels(content: bytes, size: tuple[int, int]) -> Pixels:
    with Image.open(BytesIO(content)) as opened:
        picture = opened.convert("RGB")
        shown = picture if picture.size == size else picture.resize(size, Image.Resampling.BICUBIC)
        return np.asarray(shown, dtype=np.uint8)
