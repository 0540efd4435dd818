"""Exact balance: equally many items of each stratum, and every prefix as level as its length allows."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from understudy.roles import Rng


def pick_balanced(strata: Sequence[Hashable], n: int, wanted: Sequence[Hashable]) -> list[int] | None:
    """Return the indices of the first n / k items of each of the k wanted strata, or None if there are too few."""
    per_stratum = n // len(wanted)
    by_stratum: dict[Hashable, list[int]] = {stratum: [] for stratum in wanted}
    for index, stratum in enumerate(strata):
        if stratum in by_stratum and len(by_stratum[stratum]) < per_stratum:
            by_stratum[stratum].append(index)
    if any(len(indices) < per_stratum for indices in by_stratum.values()):
        return None
    return sorted(index for indices in by_stratum.values() for index in indices)


def prefix_balanced(strata: Sequence[Hashable], rng: Rng) -> list[int]:
    """Return a random order in which any two strata's counts differ by at most one in every prefix.

    Holds as long as the strata are equally large; what is over of larger ones comes last.
    """
    by_stratum: dict[Hashable, list[int]] = defaultdict(list)
    for index in rng.permutation(len(strata)):
        by_stratum[strata[int(index)]].append(int(index))
    order: list[int] = []
    for place in range(max(map(len, by_stratum.values()), default=0)):
        round_ = [indices[place] for indices in by_stratum.values() if place < len(indices)]
        order.extend(round_[int(k)] for k in rng.permutation(len(round_)))
    return order
