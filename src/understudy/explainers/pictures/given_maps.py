"""Given maps: what a library returned for each picture, as one grid of numbers for each class that is explained."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats


def grids_of_pictures(
    maps: Any, shape: tuple[int, int, int, int], labels: Sequence[str]
) -> Iterator[Floats]:  # fmt: skip
    """Yield (classes, rows, columns) for each picture of a pool of this shape, or say why a map does not fit.

    Each map is read when its turn comes, so that arrays on disk stay there. Channels are summed: attributions add up,
    and their sum is what a place counted.
    """
    if len(maps) != shape[0]:
        raise MaterialsError(
            f"There are {len(maps)} maps, but {shape[0]} pictures. Give one map for each picture of whole(), in its order."
        )
    first: tuple[int, ...] | None = None
    for position in range(shape[0]):
        values = _numbers(maps[position], position)
        grid = _grid(values, shape, labels, position)
        first = first or grid.shape
        if grid.shape != first:
            raise MaterialsError(
                f"The map of picture {position + 1} has the shape {grid.shape}, but the first one has {first}. "
                "Give all maps one shape."
            )
        n_odd = int((~np.isfinite(grid)).sum())
        if n_odd:
            raise MaterialsError(
                f"The map of picture {position + 1} has {n_odd} values of {grid.size} that are NaN or infinite. "
                "Explain that picture again, or set them to 0."
            )
        yield grid


def _numbers(given: Any, place: int) -> Floats:
    # A tensor that remembers its gradient must let go of it, and one on a graphics card must come from there.
    plain = given.detach().cpu() if hasattr(given, "detach") else given
    try:
        return np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0][:160]
        raise MaterialsError(
            f"The map of picture {place + 1} cannot be read as numbers: {reason}. Give arrays of numbers."
        ) from None


def _grid(values: Floats, shape: tuple[int, int, int, int], labels: Sequence[str], place: int) -> Floats:
    _, height, width, n_channels = shape
    by_class = values if labels else values[None]
    if by_class.ndim == 4 and by_class.shape[1] in (1, n_channels):
        by_class = by_class.sum(axis=1)
    n_rows, n_columns = by_class.shape[-2:] if by_class.ndim == 3 else (0, 0)
    is_fine = n_rows > height or n_columns > width
    if by_class.ndim != 3 or len(by_class) != max(1, len(labels)) or not by_class.size or is_fine:
        classes = f"{len(labels)} classes, " if labels else ""
        raise MaterialsError(
            f"The map of picture {place + 1} has the shape {values.shape}, but pictures are {n_channels} channels x "
            f"{height} x {width}. Give ({classes}rows, columns) or ({classes}channels, rows, columns), no finer than the picture."
        )
    return by_class
