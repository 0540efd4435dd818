"""Simulated studies for the aligned rank transform: two factors, of which the one that is not tested has an effect."""

from functools import partial

import numpy as np

from error_rates.row import Row, Simulated, stream_of
from understudy.statistics.anova import Design, EffectFactors, aligned_ranks, factorial_anova

SEED = 20_000_000
N_PEOPLE = 60
USUAL, STRONG = 1.0, 2.0
"""What the factors outside of the test change, in standard deviations of the noise."""
DATA = ("normal", "skewed", "ratings of 5", "ratings of 5 near the top")
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])
CODES = np.array([[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]])
LABELS = [["a" if code[number] > 0 else "b" for code in CODES] for number in (0, 1)]


def _values(data: str, centre: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if data == "skewed":
        return centre + rng.exponential(1.0, centre.shape)
    latent = centre + rng.normal(0, 1, centre.shape)
    return np.digitize(latent, CUTS).astype(float) if data.startswith("ratings") else latent


def _simulate(study: str, data: str, rng: np.random.Generator, effect: float) -> Simulated:
    a, b = CODES.T
    is_interaction = study.startswith("interaction")
    is_near_top = data.endswith("near the top")
    size = STRONG if is_near_top else USUAL
    # The interaction is tested where both factors have an effect, a factor where the other one has.
    cells = effect * a + size * b + (size * a if is_interaction else 0.0) + float(is_near_top)
    tested = (0, 1) if is_interaction else (0,)
    if study.endswith("within"):
        values = _values(data, cells + rng.normal(0, 1, (N_PEOPLE, 1)), rng)
        labels = [np.tile(names, N_PEOPLE).tolist() for names in LABELS]
        design, factors = Design((), (2, 2)), EffectFactors((), tested)
    else:
        cell = np.arange(N_PEOPLE) % 4
        values = _values(data, cells[cell][:, None], rng)
        labels = [[names[number] for number in cell] for names in LABELS]
        design, factors = Design(tuple(map(tuple, labels)), ()), EffectFactors(tested)
    ranks = aligned_ranks(values.ravel(), labels, tested)
    line = factorial_anova(ranks.reshape(values.shape), design, factors).line
    nan = float("nan")
    return Simulated(line.p_value, nan, nan, nan)


def rows() -> list[Row]:
    """Return the rows of `aligned_rank_anova`; it has no interval of its effect."""
    return [
        Row("aligned ranks", study, data, (0.0,), partial(_simulate, study, data), SEED, stream_of(f"{study}, {data}"))
        for study in (f"{tested}, {how}" for tested in ("main effect", "interaction") for how in ("within", "between"))
        for data in DATA
    ]
