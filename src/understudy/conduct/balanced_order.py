"""Random orders in which every prefix is balanced over the strata."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from understudy.roles import Rng


def balanced_order(strata: Sequence[Hashable], rng: Rng) -> list[int]:
    """Return a random order in which any two strata's counts differ by at most one in every prefix.

    This holds while the strata have equal sizes; the surplus of larger strata comes last.
    """
    by_stratum: dict[Hashable, list[int]] = defaultdict(list)
    for index in rng.permutation(len(strata)):
        by_stratum[strata[int(index)]].append(int(index))
    # Each round takes one item from every stratum, in a random order.
    order: list[int] = []
    for round_number in range(max(map(len, by_stratum.values()), default=0)):
        round_ = [indices[round_number] for indices in by_stratum.values() if round_number < len(indices)]
        order.extend(round_[int(k)] for k in rng.permutation(len(round_)))
    return order
