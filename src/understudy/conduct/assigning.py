"""Assign a new arrival to a condition, orders and item lists, from the study's seed and the ledger."""

import numpy as np

from understudy.conduct.ledger import Ledger
from understudy.schema import Assignment, seed_from


def assign(ledger: Ledger, arrival: int, kept: str | None = None) -> Assignment | None:
    """Return the assignment of an arrival, or None while every place is taken.

    `kept` is the condition that somebody brings along from an earlier part; the design chooses otherwise.
    """
    study = ledger.study
    if not ledger.has_room(kept):
        return None
    places = ledger.places()
    # The generator depends on the arrival only, so that an assignment can be recomputed later.
    rng = np.random.default_rng(seed_from(study.seed, "arrival", arrival))
    condition = kept or ledger.design.assign(arrival, places, rng)
    # A design may come from a plugin, so its choice is checked.
    if not next(place for place in places if place.condition == condition).has_room:
        raise AssertionError(f"design {study.assignment.policy.name!r} chose {condition!r}, which has no room")
    orders = {
        factor.name: ledger.orderings[factor.name].order(
            factor.levels, factor.n_drawn or len(factor.levels), ledger.held_orders(condition, factor.name), rng
        )
        for factor in study.factors
        if factor.scope == "within"
    }
    lists = {
        item_set.name: _least_held_list(
            ledger, condition, item_set.name, len(study.factor(item_set.rotates_over).levels), rng
        )
        for item_set in study.item_sets
        if item_set.rotates_over is not None
    }
    levels = next(cell.levels for cell in study.cells if cell.name == condition)
    # JavaScript represents integers exactly only up to 2**53.
    seed = seed_from(study.seed, "session", arrival) % 2**53
    return Assignment(arrival=arrival, condition=condition, levels=levels, orders=orders, lists=lists, seed=seed)


def _least_held_list(ledger: Ledger, condition: str, item_set: str, n_lists: int, rng: np.random.Generator) -> int:
    n_holders = ledger.held_lists(condition, item_set)
    fewest = min(n_holders[index] for index in range(n_lists))
    tied = [index for index in range(n_lists) if n_holders[index] == fewest]
    return tied[int(rng.integers(len(tied)))]
