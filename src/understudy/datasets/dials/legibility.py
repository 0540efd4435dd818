"""Legibility: whether a question about one dial can be answered by looking, and whether matching alone would do."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from understudy.datasets.dials.codes import drawn_codes
from understudy.datasets.dials.regimes import Regimes
from understudy.inference import OnnxDecoder
from understudy.roles import Floats, Rng

N_PAIRS = 100
"""Random pictures from which the usual distance of two is taken."""


class Legibility(NamedTuple):
    """How one question looks, in units of the usual distance of two pictures."""

    regime_distance: float
    """Between the two regimes that are hardest to tell apart for the asked picture."""
    exemplar_spread: float
    """Between pictures of one regime, in the regime where they are most alike; small makes matching trivial."""
    nearest_is_right: bool
    """Whether whoever takes the regime of the most similar picture shown, understanding nothing, is right."""


def typical_distance(decoder: OnnxDecoder, rng: Rng) -> float:
    """Return the usual distance of two outputs of a decoder, the unit of all others."""
    outputs = decoder.decode(drawn_codes(decoder.card, 2 * N_PAIRS, rng))
    distances = np.sqrt(np.mean((outputs[:N_PAIRS] - outputs[N_PAIRS:]) ** 2, axis=1))
    return max(float(np.mean(distances)), 1e-9)


def legibility_of(
    decoder: OnnxDecoder, place: Regimes, code: Floats, *, bins: Sequence[Floats], regime: int, scale: float
) -> Legibility:
    """Look at one question; `bins` holds the pictures shown for each regime, and `regime` is the true one."""
    middles = np.concatenate([place.middle(code[None], one) for one in range(place.n)])
    asked = decoder.decode(code[None])[0]
    nearest = [float(np.min(np.mean((one - asked) ** 2, axis=1))) for one in bins]
    return Legibility(
        regime_distance=_least_distance(decoder.decode(middles)) / scale,
        exemplar_spread=min(_mean_distance(one) for one in bins) / scale,
        nearest_is_right=int(np.argmin(nearest)) == regime,
    )


def _distances(outputs: Floats) -> list[float]:
    pairs = combinations(range(len(outputs)), 2)
    return [float(np.sqrt(np.mean((outputs[one] - outputs[other]) ** 2))) for one, other in pairs]


def _least_distance(outputs: Floats) -> float:
    return min(_distances(outputs))


def _mean_distance(outputs: Floats) -> float:
    return float(np.mean(_distances(outputs)))
