"""Matching: equally many items of each stratum, in which other attributes are equally common too."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from understudy.roles import Rng

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True)
class MatchedItems:
    """Chosen items in groups of one of each stratum; the items of a group share the matched value where they can."""

    groups: tuple[tuple[int, ...], ...]
    is_exact: bool
    """Whether the items of every group share the value."""
    n_matched: int = 0
    """How many items are in groups that do."""

    def order(self, rng: Rng) -> list[int]:
        """Return the items with groups in random order, and the items of a group one after the other in random order.

        Sets that are assigned in turn then get whole groups, so that the items of each person match as well.
        """
        chosen = [self.groups[int(k)] for k in rng.permutation(len(self.groups))]
        return [group[int(k)] for group in chosen for k in rng.permutation(len(group))]


def pick_matched(
    strata: Sequence[Hashable],
    values: Sequence[Hashable],
    n: int,
    wanted: Sequence[Hashable],
    *,
    accepts: Callable[[int], bool] = lambda _: True,
) -> MatchedItems | None:
    """Choose n / k items of each of the k wanted strata with the same values in all of them; None if there are too few.

    Values are used about equally often, so that a rare one is not crowded out. Where the strata have too few values in
    common, the first other items of each fill up.
    """
    per_stratum = n // len(wanted)
    pool: dict[Hashable, dict[Hashable, list[int]]] = {}
    for index, (stratum, value) in enumerate(zip(strata, values, strict=True)):
        if stratum in wanted:
            pool.setdefault(value, {name: [] for name in wanted})[stratum].append(index)
    accepted: set[int] = set()
    while True:
        chosen = _chosen(pool, wanted, per_stratum)
        if chosen is None:
            return None
        # An item is accepted once, because that marks it as used, and only if it is needed, because it may read a picture.
        fresh = {index for group in chosen.groups for index in group} - accepted
        refused = {index for index in sorted(fresh) if not accepts(index)}
        if not refused:
            return chosen
        accepted |= fresh - refused
        for indices in (indices for by_stratum in pool.values() for indices in by_stratum.values()):
            indices[:] = [index for index in indices if index not in refused]


def _chosen(
    pool: Mapping[Hashable, Mapping[Hashable, Sequence[int]]], wanted: Sequence[Hashable], per_stratum: int
) -> MatchedItems | None:
    if any(sum(len(by_stratum[name]) for by_stratum in pool.values()) < per_stratum for name in wanted):
        return None
    room = {value: min(len(indices) for indices in by_stratum.values()) for value, by_stratum in pool.items()}
    shares = even_shares(room, per_stratum)
    groups = [
        group
        for value, share in shares.items()
        for group in zip(*(pool[value][name][:share] for name in wanted), strict=True)
    ]
    n_missing = per_stratum - len(groups)
    others = (
        sorted(index for value, by_stratum in pool.items() for index in by_stratum[name][shares[value] :])
        for name in wanted
    )
    fill = zip(*(indices[:n_missing] for indices in others), strict=True)
    return MatchedItems((*groups, *fill), is_exact=n_missing == 0, n_matched=len(groups) * len(wanted))


def even_shares(room: Mapping[Value, int], n: int) -> dict[Value, int]:
    """Distribute up to n items over values one by one in turn, never more than a value has room for."""
    shares: Counter[Value] = Counter()
    while shares.total() < min(n, sum(room.values())):
        for value, most in room.items():
            if shares[value] < most and shares.total() < n:
                shares[value] += 1
    return {value: shares[value] for value in room}
