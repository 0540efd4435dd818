"""Exact balance: equally many items of each stratum."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence


def pick_balanced(
    strata: Sequence[Hashable], n: int, wanted: Sequence[Hashable], *, accepts: Callable[[int], bool] = lambda _: True
) -> list[int] | None:
    """Return the indices of the first n / k items of each of the k wanted strata, or None if there are too few.

    `accepts` is called only for strata with room, because the call may read a picture.
    """
    per_stratum = n // len(wanted)
    by_stratum: dict[Hashable, list[int]] = {stratum: [] for stratum in wanted}
    for index, stratum in enumerate(strata):
        if stratum in by_stratum and len(by_stratum[stratum]) < per_stratum and accepts(index):
            by_stratum[stratum].append(index)
    if any(len(indices) < per_stratum for indices in by_stratum.values()):
        return None
    # Sorted, so that the items keep the order of the draw and strata do not come in blocks.
    return sorted(index for indices in by_stratum.values() for index in indices)


def pick_distinct(
    strata: Sequence[Hashable],
    values: Sequence[Sequence[Hashable]],
    n: int,
    wanted: Sequence[Hashable],
    *,
    accepts: Callable[[int], bool] = lambda _: True,
) -> list[int] | None:
    """Return n / k items of each of the k wanted strata, no two of which share a value; None if there are too few.

    `values` has the values of each item, one for each attribute that must differ. The rarest stratum chooses first,
    because it has the fewest values left.
    """
    sizes = Counter(strata)
    taken: set[tuple[int, Hashable]] = set()
    chosen: list[int] = []
    for stratum in sorted(wanted, key=lambda stratum: sizes[stratum]):
        n_missing = n // len(wanted)
        for index in (index for index, own in enumerate(strata) if own == stratum):
            named = {*enumerate(values[index])}
            if n_missing and not named & taken and accepts(index):
                taken |= named
                chosen.append(index)
                n_missing -= 1
        if n_missing:
            return None
    return sorted(chosen)
