"""Differential attrition: do conditions lose people at different rates? Exact for few people, chi-square for many.

It needs nothing but counts and the standard library, since a server that has no statistics asks it at every look.
"""

from collections.abc import Sequence
from math import comb, exp, lgamma, log, prod, sqrt
from typing import Literal, NamedTuple, TypeAlias

Method: TypeAlias = Literal["exact", "chi_square", "none"]

_MOST_TABLES = 20_000
_MOST_PEOPLE = 600
"""Tables that the exact test adds up, and people in them; beyond either, chi-square is close and takes no time."""
_Z = 1.959963984540054
_FEWEST = 5
"""People who ended in each condition before anything is said."""
_TINY = 1e-12


class Lost(NamedTuple):
    """How many people of one condition came to an end, and how many of them left early."""

    n_ended: int
    n_left: int

    @property
    def share(self) -> float:
        """The share that left."""
        return self.n_left / self.n_ended if self.n_ended else 0.0


class Attrition(NamedTuple):
    """The largest difference between two conditions with its interval, and a test over all of them."""

    method: Method
    p: float | None
    first: int
    """The condition that loses most, by its place."""
    second: int
    """The condition that loses least."""
    difference: float
    low: float
    high: float


def attrition_of(conditions: Sequence[Lost]) -> Attrition | None:
    """Compare conditions; None with fewer than two of them, or while one has too few people to say anything.

    The interval is Newcombe's (1998, method 10) at 95 %. With more than two conditions it is about the pair that differs
    most, which was chosen by the data; the test is about all conditions and needs no such choice.
    """
    if len(conditions) < 2 or any(lost.n_ended < _FEWEST for lost in conditions):
        return None
    order = sorted(range(len(conditions)), key=lambda place: conditions[place].share)
    second, first = order[0], order[-1]
    most, least = conditions[first], conditions[second]
    low, high = _newcombe(most, least)
    n_tables = prod(min(lost.n_ended, sum(other.n_left for other in conditions)) + 1 for lost in conditions[1:])
    is_exact = n_tables <= _MOST_TABLES and sum(lost.n_ended for lost in conditions) <= _MOST_PEOPLE
    p = _exact(conditions) if is_exact else _chi_square(conditions)
    return Attrition("exact" if is_exact else "chi_square", p, first, second, most.share - least.share, low, high)


def _newcombe(first: Lost, second: Lost) -> tuple[float, float]:
    (low_1, high_1), (low_2, high_2) = _wilson(first), _wilson(second)
    difference = first.share - second.share
    below = sqrt((first.share - low_1) ** 2 + (high_2 - second.share) ** 2)
    above = sqrt((high_1 - first.share) ** 2 + (second.share - low_2) ** 2)
    return difference - below, difference + above


def _wilson(lost: Lost) -> tuple[float, float]:
    n, share = lost.n_ended, lost.share
    middle = share + _Z**2 / (2 * n)
    half = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    below, above = (middle - half) / (1 + _Z**2 / n), (middle + half) / (1 + _Z**2 / n)
    return max(0.0, below), min(1.0, above)


def _exact(conditions: Sequence[Lost]) -> float:
    """Return the p-value of Freeman and Halton (1951): the share of tables at most as likely as this one."""
    sizes = [lost.n_ended for lost in conditions]
    n_left = sum(lost.n_left for lost in conditions)
    observed = prod(comb(lost.n_ended, lost.n_left) for lost in conditions)
    # Weights are whole numbers, so that ties are found exactly.
    return _weight_up_to(sizes, n_left, 1, observed) / comb(sum(sizes), n_left)


def _weight_up_to(sizes: Sequence[int], n_left: int, weight: int, most: int) -> int:
    """Add up the weights of all tables with these margins whose weight is at most `most`."""
    if len(sizes) == 1:
        whole = weight * comb(sizes[0], n_left) if n_left <= sizes[0] else 0
        return whole if whole <= most else 0
    size, *rest = sizes
    return sum(
        _weight_up_to(rest, n_left - n, weight * comb(size, n), most)
        for n in range(max(0, n_left - sum(rest)), min(size, n_left) + 1)
    )


def _chi_square(conditions: Sequence[Lost]) -> float:
    n, n_left = sum(lost.n_ended for lost in conditions), sum(lost.n_left for lost in conditions)
    if n_left in (0, n):
        return 1.0
    statistic = sum(
        (count - lost.n_ended * total / n) ** 2 / (lost.n_ended * total / n)
        for lost in conditions
        for count, total in ((lost.n_left, n_left), (lost.n_ended - lost.n_left, n - n_left))
    )
    return gamma_tail((len(conditions) - 1) / 2, statistic / 2)


def gamma_tail(shape: float, x: float) -> float:
    """Return the upper tail of the gamma distribution, by its series or its continued fraction (Lentz)."""
    if x <= 0:
        return 1.0
    scale = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        at = shape
        while term > total * _TINY:
            at += 1
            term *= x / at
            total += term
        return max(0.0, 1 - scale * total)
    b = x + 1 - shape
    c, d = 1e300, 1 / b
    fraction = d
    change, k = 0.0, 0
    while abs(change - 1) > _TINY:
        k += 1
        a = -k * (k - shape)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        change = c * d
        fraction *= change
    return scale * fraction
