"""Orders of levels: who meets what after what."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.conduct.designs import AllOrders, FixedOrder, LatinSquare, RandomOrder, UrnOrder, williams_square
from understudy.roles import Ordering


def dealt(ordering: Ordering, levels: str, n_people: int, n_drawn: int | None = None) -> list[tuple[str, ...]]:
    """Deal one order after another, each person knowing what the others hold."""
    held: Counter[tuple[str, ...]] = Counter()
    orders = []
    rng = np.random.default_rng(4)
    for _ in range(n_people):
        order = ordering.order(levels, n_drawn or len(levels), held, rng)
        held[order] += 1
        orders.append(order)
    return orders


@given(n=st.integers(1, 12))
def test_each_level_stands_in_each_position_of_a_williams_square_equally_often(n: int) -> None:
    rows = williams_square([str(k) for k in range(n)])
    for position in range(n):
        counts = Counter(row[position] for row in rows)
        assert len(counts) == n
        assert set(counts.values()) == {len(rows) // n}


@given(n=st.integers(2, 12))
def test_each_level_follows_each_other_one_equally_often_in_a_williams_square(n: int) -> None:
    rows = williams_square([str(k) for k in range(n)])
    counts = Counter(pair for row in rows for pair in pairwise(row))
    assert len(counts) == n * (n - 1)
    assert set(counts.values()) == {len(rows) // n}


@given(n=st.integers(1, 12))
def test_an_odd_williams_square_has_twice_as_many_rows(n: int) -> None:
    assert len(williams_square([str(k) for k in range(n)])) == (2 * n if n % 2 and n > 1 else n)


@pytest.mark.parametrize(("levels", "n_rows"), [("abcd", 4), ("abc", 6)])
def test_a_latin_square_uses_each_row_before_any_comes_again(levels: str, n_rows: int) -> None:
    orders = dealt(LatinSquare(), levels, 2 * n_rows)
    assert len(set(orders[:n_rows])) == len(set(orders[n_rows:])) == n_rows


def test_all_orders_are_used_before_any_comes_again() -> None:
    orders = dealt(AllOrders(), "abc", 12)
    assert set(Counter(orders).values()) == {2}
    assert len(set(orders)) == 6


def test_a_fixed_order_is_as_declared() -> None:
    assert dealt(FixedOrder(), "cab", 2) == [("c", "a", "b")] * 2


def test_random_orders_come_up_equally_often() -> None:
    counts = Counter(dealt(RandomOrder(), "abc", 3000))
    # Five standard errors of 3000 draws at one in six are about 102.
    assert len(counts) == 6
    assert max(abs(n - 500) for n in counts.values()) < 103


def test_an_urn_covers_all_levels_before_any_comes_again() -> None:
    orders = dealt(UrnOrder(), "abcdefgh", 10, n_drawn=2)
    for n_people in range(1, 11):
        met = Counter(dict.fromkeys("abcdefgh", 0))
        met.update(level for order in orders[:n_people] for level in order)
        assert max(met.values()) - min(met.values()) <= 1


def test_an_urn_shuffles_what_it_draws() -> None:
    assert len(set(dealt(UrnOrder(), "ab", 40))) == 2
