"""Simulated studies for signal detection: 60 people say whether a signal was there, and differ in how well they can."""

from functools import partial
from typing import NamedTuple

import numpy as np

from error_rates.row import Row, Simulated, stream_of
from understudy.statistics.signal_detection import YesCounts, sensitivity
from understudy.statistics.t_tests import t_test_paired, t_test_welch

SEED = 19_000_000
N_PEOPLE = 60
SPREAD, EFFECT_SPREAD, CRITERION_SPREAD = 0.5, 0.3, 0.4
"""Standard deviations over people of d', of its change between levels, and of the criterion."""


class Study(NamedTuple):
    """What the simulated people of one row do."""

    is_within: bool = True
    d_prime: float = 1.5
    n_trials: int = 20
    """Trials with a signal at each level, and equally many without."""
    shift: float = 0.0
    """How much less readily people say yes at the first level, in standard deviations."""


STUDIES = {
    ("within", "20 + 20 trials"): Study(),
    ("between", "20 + 20 trials"): Study(is_within=False),
    ("within", "5 + 5 trials"): Study(n_trials=5),
    ("within", "criterion moves by 0.5"): Study(shift=0.5),
    ("within", "d' of 3"): Study(d_prime=3.0),
}


def _scores(study: Study, d_prime: np.ndarray, criterion: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    signals = rng.normal(d_prime[:, None] / 2, 1, (d_prime.size, study.n_trials)) > criterion[:, None]
    noises = rng.normal(-d_prime[:, None] / 2, 1, (d_prime.size, study.n_trials)) > criterion[:, None]
    n = np.full(d_prime.size, study.n_trials)
    return sensitivity(YesCounts(signals.sum(axis=1), n, noises.sum(axis=1), n)).d_prime


def _simulate(study: Study, rng: np.random.Generator, effect: float) -> Simulated:
    d_prime = rng.normal(study.d_prime, SPREAD, N_PEOPLE)
    criterion = rng.normal(0, CRITERION_SPREAD, N_PEOPLE)
    change = rng.normal(effect, EFFECT_SPREAD, N_PEOPLE) if study.is_within else np.full(N_PEOPLE, effect)
    first = _scores(study, d_prime + change / 2, criterion + study.shift, rng)
    second = _scores(study, d_prime - change / 2, criterion, rng)
    test = t_test_paired(first, second) if study.is_within else t_test_welch(first[::2], second[1::2])
    return Simulated(test.p_value, test.estimate, *test.interval)


def rows() -> list[Row]:
    """Return the rows of `signal_detection`."""
    return [
        Row("d'", factor, data, (0.0, 0.4), partial(_simulate, study), SEED, stream_of(f"{factor}, {data}"))
        for (factor, data), study in STUDIES.items()
    ]
