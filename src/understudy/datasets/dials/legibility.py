"""Legibility: whether a question about one dial can be answered by looking, and whether matching would be enough."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from understudy.datasets.dials.codes import drawn_codes
from understudy.datasets.dials.regimes import Regimes
from understudy.inference import OnnxDecoder
from understudy.roles import Floats, Rng

N_PAIRS = 100
"""Pairs of random pictures from which the typical distance is estimated."""


class Legibility(NamedTuple):
    """Visual properties of one question, in units of the typical distance between two pictures."""

    regime_distance: float
    """Between the two regimes that are hardest to tell apart for the asked picture."""
    exemplar_spread: float
    """Between pictures of one regime, in the regime where they are most similar; small values make matching trivial."""
    nearest_is_right: bool
    """Whether choosing the regime of the most similar picture, without understanding, gives the correct answer."""


def typical_distance(decoder: OnnxDecoder, rng: Rng) -> float:
    """Return the typical distance between two outputs of a decoder, the unit of all others."""
    outputs = decoder.decode(drawn_codes(decoder.card, 2 * N_PAIRS, rng))
    distances = np.sqrt(np.mean((outputs[:N_PAIRS] - outputs[N_PAIRS:]) ** 2, axis=1))
    # The floor keeps a constant decoder from dividing by zero.
    return max(float(np.mean(distances)), 1e-9)


def legibility_of(
    decoder: OnnxDecoder, regimes: Regimes, code: Floats, *, bins: Sequence[Floats], regime: int, scale: float
) -> Legibility:
    """Assess one question; `bins` has the pictures shown for each regime, and `regime` is the correct one."""
    middles = np.concatenate([regimes.middle(code[None], index) for index in range(regimes.n)])
    asked = decoder.decode(code[None])[0]
    nearest = [float(np.min(np.mean((pictures - asked) ** 2, axis=1))) for pictures in bins]
    return Legibility(
        regime_distance=_least_distance(decoder.decode(middles)) / scale,
        exemplar_spread=min(_mean_distance(pictures) for pictures in bins) / scale,
        nearest_is_right=int(np.argmin(nearest)) == regime,
    )


def _distances(outputs: Floats) -> list[float]:
    pairs = combinations(range(len(outputs)), 2)
    return [float(np.sqrt(np.mean((outputs[first] - outputs[second]) ** 2))) for first, second in pairs]


def _least_distance(outputs: Floats) -> float:
    return min(_distances(outputs))


def _mean_distance(outputs: Floats) -> float:
    return float(np.mean(_distances(outputs)))
