"""Deletion and insertion: how fast an answer falls or rises when pixels go or come in the order of a map."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.vectors import Floats


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
