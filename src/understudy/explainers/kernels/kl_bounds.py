"""Bounds on a share by the Kullback-Leibler divergence of coins, for many shares at once."""

from math import log

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_N_HALVINGS = 24
_EDGE = 1e-12
_FACTOR, _POWER = 405.5, 1.1
"""k and alpha of Kaufmann and Kalyanakrishnan (2013), with which the bounds of all rounds hold together."""


def divergence(share: Floats, other: Floats) -> Floats:
    """Return the divergence of a coin with one share of heads from a coin with another."""
    p, q = np.clip(share, _EDGE, 1 - _EDGE), np.clip(other, _EDGE, 1 - _EDGE)
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)), dtype=np.float64)


def lower_bounds(hits: Floats, n_drawn: Ints, level: float) -> Floats:
    """Return the smallest share that lies within `level` over n of each observed one."""
    return _edge_of(hits, n_drawn, level, np.zeros(len(hits)))


def upper_bounds(hits: Floats, n_drawn: Ints, level: float) -> Floats:
    """Return the largest share that lies within `level` over n of each observed one."""
    return _edge_of(hits, n_drawn, level, np.ones(len(hits)))


def race_level(n_arms: int, n_rounds: int, delta: float) -> float:
    """Return the level at which the bounds of all arms hold in all rounds with probability 1 - delta."""
    rate = log(_FACTOR * n_arms * n_rounds**_POWER / delta)
    return rate + log(rate)


def _edge_of(hits: Floats, n_drawn: Ints, level: float, far: Floats) -> Floats:
    n = np.maximum(n_drawn, 1e-9)
    share = np.where(n_drawn > 0, hits / n, 0.5)
    inside, outside = share.copy(), far
    # The divergence is a sum of one part that stays and one that changes with the other share.
    stays = divergence(share, np.full(len(share), 0.5)) - log(2) - level / n
    # Bisection, because the bound has no closed form; 24 halvings give seven digits.
    for _ in range(_N_HALVINGS):
        middle = (inside + outside) / 2
        other = np.minimum(np.maximum(middle, _EDGE), 1 - _EDGE)
        is_inside = stays <= share * np.log(other) + (1 - share) * np.log1p(-other)
        inside, outside = np.where(is_inside, middle, inside), np.where(is_inside, outside, middle)
    return inside
