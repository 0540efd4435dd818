"""Orders: which order of the levels each person gets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Record

OrderCounts = Mapping[tuple[str, ...], int]


@register("orderings", "random_order")
class RandomOrder(Record):
    """Shuffles levels anew for each person."""

    def order(self, levels: Sequence[str], n_drawn: int, counts: OrderCounts, rng: Rng) -> tuple[str, ...]:
        """Draw levels without replacement."""
        return tuple(levels[int(k)] for k in rng.permutation(len(levels))[:n_drawn])


@register("orderings", "fixed_order")
class FixedOrder(Record):
    """Shows levels in the order in which they are declared."""

    def order(self, levels: Sequence[str], n_drawn: int, counts: OrderCounts, rng: Rng) -> tuple[str, ...]:
        """Return the first levels in their declared order."""
        return tuple(levels[:n_drawn])


@register("orderings", "latin_square")
class LatinSquare(Record):
    """Williams's square: each level is in each position, and follows each other level, equally often.

    An odd number of levels needs the mirrored square too, so orders repeat after twice as many people.
    """

    def order(self, levels: Sequence[str], n_drawn: int, counts: OrderCounts, rng: Rng) -> tuple[str, ...]:
        """Return the row of the square that the fewest people have."""
        return _rarest_order([row[:n_drawn] for row in williams_square(levels)], counts, rng)


@register("orderings", "all_orders")
class AllOrders(Record):
    """Uses every permutation equally often; sensible up to four or five levels."""

    def order(self, levels: Sequence[str], n_drawn: int, counts: OrderCounts, rng: Rng) -> tuple[str, ...]:
        """Return the permutation that the fewest people have."""
        return _rarest_order(list(permutations(levels, n_drawn)), counts, rng)


@register("orderings", "urn_order")
class UrnOrder(Record):
    """Draws a few of many levels; levels that the fewest people have seen are drawn first."""

    def order(self, levels: Sequence[str], n_drawn: int, counts: OrderCounts, rng: Rng) -> tuple[str, ...]:
        """Draw the levels seen least often, with ties broken at random, and shuffle them."""
        n_by_level: Counter[str] = Counter()
        for order, n_people in counts.items():
            for level in order:
                n_by_level[level] += n_people
        # Shuffled before the stable sort, so that ties are broken at random.
        shuffled = [levels[int(k)] for k in rng.permutation(len(levels))]
        chosen = sorted(shuffled, key=lambda level: n_by_level[level])[:n_drawn]
        return tuple(chosen[int(k)] for k in rng.permutation(n_drawn))


def williams_square(levels: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rows of a Williams square over the levels.

    Source: Williams (1949), the zigzag first row 0, 1, n-1, 2, n-2, ... shifted by one in each further row.

    >>> williams_square(["a", "b", "c", "d"])[0]
    ('a', 'b', 'd', 'c')
    """
    n = len(levels)
    zigzag = [0]
    for k in range(1, n):
        zigzag.append((zigzag[-1] + (k if k % 2 else -k)) % n)
    rows = [tuple(levels[(k + shift) % n] for k in zigzag) for shift in range(n)]
    return rows + [row[::-1] for row in rows] if n % 2 and n > 1 else rows


# With an odd number of levels, only the square and its mirror image together balance what follows what.


def _rarest_order(rows: Sequence[tuple[str, ...]], counts: OrderCounts, rng: Rng) -> tuple[str, ...]:
    distinct = list(dict.fromkeys(rows))
    fewest = min(counts.get(row, 0) for row in distinct)
    tied = [row for row in distinct if counts.get(row, 0) == fewest]
    return tied[int(rng.integers(len(tied)))]
