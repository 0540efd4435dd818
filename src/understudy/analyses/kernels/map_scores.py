"""Automatic scores of a heat map: how well it agrees with a region, and with the map of another model."""

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.correlation import spearman
from understudy.analyses.kernels.vectors import Bools, Floats


def pointing_game(values: npt.ArrayLike, region: npt.ArrayLike) -> float:
    """Tell whether the largest value lies in a region: 1 or 0; equal largest values count by their share.

    NaN for a flat map, which points nowhere (Zhang et al. 2018).

    Examples
    --------
    >>> pointing_game([[0, 3], [1, 2]], [[False, True], [False, False]])
    1.0
    """
    grid, inside = _grids(values, region)
    if grid.max() == grid.min():
        return float("nan")
    return float(inside[grid == grid.max()].mean())


def energy_inside(values: npt.ArrayLike, region: npt.ArrayLike) -> float:
    """Return the share of the positive values that lies in a region; NaN without any (Wang et al. 2020).

    Examples
    --------
    >>> energy_inside([[0, 3], [1, -2]], [[False, True], [False, False]])
    0.75
    """
    grid, inside = _grids(values, region)
    positive = np.maximum(grid, 0)
    total = float(positive.sum())
    return float(positive[inside].sum() / total) if total > 0 else float("nan")


def overlap_with_region(values: npt.ArrayLike, region: npt.ArrayLike, *, threshold: float = 0.5) -> float:
    """Return intersection over union of a region and the values above a share of the largest one.

    NaN for a map without positive values. Which threshold a paper used is often not printed; report yours.

    Examples
    --------
    >>> overlap_with_region([[0, 4], [3, 1]], [[False, True], [False, False]], threshold=0.5)
    0.5
    """
    grid, inside = _grids(values, region)
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold is {threshold}; it must be a share from 0 to below 1.")
    if grid.max() <= 0:
        return float("nan")
    high = grid > threshold * grid.max()
    return float((high & inside).sum() / (high | inside).sum())


def map_similarity(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return Spearman's correlation of two maps of one picture; NaN if one is flat.

    With the map of a model whose weights were shuffled, a value near 1 says that the method does not look at the weights
    (Adebayo et al. 2018).

    Examples
    --------
    >>> map_similarity([[1, 2], [3, 4]], [[10, 20], [30, 50]])
    1.0
    """
    x, y = np.asarray(first, dtype=np.float64).ravel(), np.asarray(second, dtype=np.float64).ravel()
    if x.size != y.size:
        raise ValueError(f"the maps have {x.size} and {y.size} values; they must have equally many.")
    return spearman(x, y).r


def _grids(values: npt.ArrayLike, region: npt.ArrayLike) -> tuple[Floats, Bools]:
    grid, inside = np.asarray(values, dtype=np.float64), np.asarray(region, dtype=np.bool_)
    if grid.shape != inside.shape or grid.ndim != 2:
        raise ValueError(f"the map has the shape {grid.shape} and the region {inside.shape}; they must agree.")
    if not inside.any():
        raise ValueError("the region is empty; at least one pixel must belong to it.")
    return grid, inside
