"""Balanced prefixes: an order that can be cut short anywhere and stays as level as its length allows."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from understudy.roles import Rng


def balanced_order(strata: Sequence[Hashable], rng: Rng) -> list[int]:
    """Return a random order in which any two strata's counts differ by at most one in every prefix.

    Holds as long as the strata are equally large; what is over of larger ones comes last.
    """
    by_stratum: dict[Hashable, list[int]] = defaultdict(list)
    for index in rng.permutation(len(strata)):
        by_stratum[strata[int(index)]].append(int(index))
    order: list[int] = []
    for round_number in range(max(map(len, by_stratum.values()), default=0)):
        round_ = [indices[round_number] for indices in by_stratum.values() if round_number < len(indices)]
        order.extend(round_[int(k)] for k in rng.permutation(len(round_)))
    return order
