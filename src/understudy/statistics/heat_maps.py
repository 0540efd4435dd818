"""Automatic scores of heat maps: agreement with regions, and what removing pixels does."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.statistics.arrays import Bools, Floats
from understudy.statistics.correlation import spearman


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


# Deletion and insertion: how fast an answer falls or rises when pixels go or come in the order of a map.


class PerturbationCurves(NamedTuple):
    """The probability of a class after each step, from the whole picture (deletion) or from the blank one (insertion)."""

    deletion: Floats
    """A smaller area under it is better."""
    insertion: Floats
    """A larger area under it is better."""


def perturbation_curves(
    values: Floats, picture: Floats, answer: Callable[[Floats], Floats], *, n_steps: int = 20, blank: float = 0.0
) -> PerturbationCurves:
    """Remove and add the pixels of a picture, those with the largest values first (Petsiuk, Das & Saenko 2018).

    Parameters
    ----------
    values
        The map, (height, width).
    picture
        The picture, (channels, height, width).
    answer
        Returns the probability of the class for each of several pictures.
    n_steps
        Steps of equally many pixels.
    blank
        The value of a removed pixel.

    Examples
    --------
    >>> light = lambda pictures: pictures.mean(axis=(1, 2, 3))
    >>> curves = perturbation_curves(np.arange(4.0).reshape(2, 2), np.ones((1, 2, 2)), light, n_steps=4)
    >>> curves.deletion.tolist(), area_under(curves.insertion)
    ([1.0, 0.75, 0.5, 0.25, 0.0], 0.5)
    """
    if values.shape != picture.shape[1:] or n_steps < 1:
        raise ValueError(
            f"the map has the shape {values.shape}, the picture {picture.shape}, and there are {n_steps} steps; the map must "
            "have the height and width of the picture, and there must be a step."
        )
    # Equal values keep the order of the pixels, so that the result is the same every time.
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[np.argsort(-values, axis=None, kind="stable")] = np.arange(values.size)
    cuts = np.round(np.linspace(0, values.size, n_steps + 1)).astype(np.int64)
    is_changed = ranks.reshape(1, 1, *values.shape) < cuts[:, None, None, None]
    deleted = np.where(is_changed, blank, picture[None])
    inserted = np.where(is_changed, picture[None], blank)
    answers = np.asarray(answer(np.concatenate([deleted, inserted])), dtype=np.float64)
    return PerturbationCurves(answers[: n_steps + 1], answers[n_steps + 1 :])


def area_under(curve: Floats) -> float:
    """Return the area under a curve over shares of pixels from 0 to 1, by trapezes."""
    return float((curve[:-1] + curve[1:]).mean() / 2)
