"""Designs: policies that assign conditions, and orders of items and blocks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations

from pydantic import Field

from understudy.registry import create, register
from understudy.roles import Place, Rng
from understudy.schema import Record, Ref


@register("designs", "balanced")
class Balanced(Record):
    """Keeps conditions balanced throughout, counting people who have completed or are still taking part."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose at random among the conditions that are least full."""
        with_room = [place for place in places if place.has_room]
        # Relative to the quota, so that conditions with unequal quotas fill up together.
        emptiest = min(place.n_held / place.quota for place in with_room)
        tied = [place for place in with_room if place.n_held / place.quota == emptiest]
        return tied[int(rng.integers(len(tied)))].condition


# Orders: which order of the levels each person gets.

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


# Parity: the arrival's number decides (odd or even, or modulo the number of conditions).


@register("designs", "parity")
class Parity(Record):
    """Assigns conditions in turn; if the next one is full, the emptiest other condition takes the arrival."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Return the condition whose turn it is."""
        turn = places[arrival % len(places)]
        if turn.has_room:
            return turn.condition
        return min((place for place in places if place.has_room), key=lambda place: place.n_held).condition


# Permuted blocks: each block of arrivals contains every condition equally often, in random order.


@register("designs", "permuted_blocks")
class PermutedBlocks(Record):
    """Draws each block without replacement; the counts so far tell what is left of the current block."""

    n_repeats: int = Field(default=2, ge=1, le=1000)
    """How often each condition occurs in a block."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Draw from the rest of the current block."""
        with_room = [place for place in places if place.has_room]
        block = min(place.n_assigned // self.n_repeats for place in with_room)
        left = [max((block + 1) * self.n_repeats - place.n_assigned, 0) for place in with_room]
        draw = int(rng.integers(sum(left)))
        # A weighted draw: walk along the cumulated counts until the drawn number is used up.
        for place, n_left in zip(with_room, left, strict=True):
            draw -= n_left
            if draw < 0:
                return place.condition
        raise AssertionError("a block always has a condition left")


# Simple random: every condition with room is equally likely.


@register("designs", "simple_random")
class SimpleRandom(Record):
    """Makes the order of conditions unpredictable; the quotas still end up filled."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose at random among the conditions with room."""
        with_room = [place for place in places if place.has_room]
        return with_room[int(rng.integers(len(with_room)))].condition


# Then target: fill every condition to a number, then send everybody else to one condition.


@register("designs", "then_target")
class ThenTarget(Record):
    """Assigns by another design until each condition has `after` people, then prefers the target condition."""

    target: str
    after: int = Field(ge=1, le=1_000_000)
    first: Ref = Ref(name="simple_random")

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose among conditions that are still short; after that, choose the target while it has room."""
        short = [place for place in places if place.n_held < self.after and place.has_room]
        if short:
            return str(create("designs", self.first).assign(arrival, short, rng))
        target = next((place for place in places if place.condition == self.target), None)
        if target is not None and target.has_room:
            return target.condition
        return str(create("designs", self.first).assign(arrival, places, rng))


# Urn: balls are drawn without replacement, the balls of dropouts go back, and an empty urn is refilled.


@register("designs", "urn")
class Urn(Record):
    """Uses up every condition's balls before any condition gets more."""

    n_balls: int = Field(default=1, ge=1, le=1000)
    """Balls of each condition in a full urn."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Draw one of the balls left for conditions with room."""
        with_room = [place for place in places if place.has_room]
        filling = min(place.n_held // self.n_balls for place in with_room)
        balls = [
            place.condition for place in with_room for _ in range(max((filling + 1) * self.n_balls - place.n_held, 0))
        ]
        return balls[int(rng.integers(len(balls)))]
