"""Simulated studies for block bootstraps: few people, many people, and items that differ in the effect."""

from functools import partial

import numpy as np

from error_rates import mixed
from error_rates.row import Row, Simulated, stream_of
from understudy.statistics.bootstrap import Blocks, Bootstrap, bootstrap_difference, bootstrap_mean

SEED = 21_000_000
EFFECT = 0.5


def _simulated(found: Bootstrap) -> Simulated:
    return Simulated(found.p_centred, found.estimate, *found.interval)


def _within(n_people: int, rng: np.random.Generator, effect: float) -> Simulated:
    """Resample people's differences; items have the same effect."""
    return _simulated(bootstrap_mean(rng.normal(effect, 1, (n_people, 1)), rng=rng, blocks="participants"))


def _between(n_people: int, rng: np.random.Generator, effect: float) -> Simulated:
    first, second = rng.normal(effect, 1, (n_people, 1)), rng.normal(0, 1, (n_people, 1))
    return _simulated(bootstrap_difference(first, second, rng=rng, blocks="participants", items_are_shared=False))


def _items_differ(is_two_way: bool, rng: np.random.Generator, effect: float) -> Simulated:
    """Resample differences within items, each answered by everybody at both levels."""
    people = rng.normal(0, mixed.PEOPLE[1, 1] ** 0.5, (mixed.N_PEOPLE, 1))
    items = rng.normal(0, mixed.ITEMS[1, 1] ** 0.5, (1, mixed.N_ITEMS))
    noise = rng.normal(0, mixed.NOISE_SD * 2**0.5, (mixed.N_PEOPLE, mixed.N_ITEMS))
    blocks: Blocks = "participants_and_items" if is_two_way else "participants"
    return _simulated(bootstrap_mean(effect + people + items + noise, rng=rng, blocks=blocks))


def rows() -> list[Row]:
    """Return the rows of `participant_bootstrap` and `two_way_bootstrap`."""
    studies = {
        **{("participant bootstrap", "within", f"{n} people"): partial(_within, n) for n in (10, 20, 60)},
        **{("participant bootstrap", "between", f"{n} + {n} people"): partial(_between, n) for n in (10, 30)},
        ("participant bootstrap", "within", "items differ"): partial(_items_differ, False),
        ("two-way bootstrap", "within", "items differ"): partial(_items_differ, True),
    }
    return [
        Row(*names, (0.0, EFFECT), simulate, SEED, stream_of(", ".join(names[1:])))
        for names, simulate in studies.items()
    ]
