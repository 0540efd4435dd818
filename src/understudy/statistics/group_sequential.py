"""Group-sequential tests: how much of alpha each look at growing data may spend, and the boundaries that follow.

Written here because no permissive Python library has them; R has gsDesign, rpact and ldbounds.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from understudy.deferred.scipy import optimize, special
from understudy.statistics.arrays import Floats

Spending = Literal["obrien_fleming", "pocock"]
Sides = Literal["one", "two"]
_NODES = 160
_FAR = 9.0
"""Where a one-sided region ends on the side without a boundary, in standard deviations."""


class Boundaries(NamedTuple):
    """One entry for each look: the bound of z, the p-value that crosses it, and the alpha spent so far."""

    z: tuple[float, ...]
    nominal: tuple[float, ...]
    spent: tuple[float, ...]


def alpha_spent(fraction: float, alpha: float, spending: Spending) -> float:
    """Return how much of a one-sided alpha is spent when a fraction of the data is there (Lan & DeMets 1983).

    obrien_fleming: 2 - 2 Φ(z(α/2) / √t), which spends little early; pocock: α ln(1 + (e - 1) t).

    Examples
    --------
    >>> round(alpha_spent(0.5, 0.025, "obrien_fleming"), 5), round(alpha_spent(0.5, 0.025, "pocock"), 5)
    (0.00153, 0.0155)
    """
    if spending == "pocock":
        return float(alpha * np.log1p(np.expm1(1) * fraction))
    return float(2 * special.ndtr(special.ndtri(alpha / 2) / np.sqrt(fraction)))


def boundaries(fractions: Sequence[float], alpha: float, spending: Spending, sides: Sides = "two") -> Boundaries:
    """Return the bounds at which looks with these fractions of the planned data reject.

    The chance of crossing at look k for the first time is what is spent there; it follows from the recursive
    integration of Armitage, McPherson & Rowe (1969). A two-sided test spends half of alpha on each side.

    Examples
    --------
    >>> [round(z, 3) for z in boundaries([0.2, 0.4, 0.6, 0.8, 1.0], 0.05, "obrien_fleming").z]
    [4.877, 3.357, 2.68, 2.29, 2.031]
    """
    times = tuple(float(fraction) for fraction in fractions)
    if (
        not times
        or times[0] <= 0
        or times[-1] > 1 + 1e-9
        or any(later <= earlier for earlier, later in pairwise(times))
    ):
        raise ValueError(f"fractions are {times}; they must rise from above 0 to at most 1.")
    return _boundaries(times, alpha, spending, sides)


@lru_cache(maxsize=4096)
def _boundaries(times: tuple[float, ...], alpha: float, spending: Spending, sides: Sides) -> Boundaries:
    is_two_sided = sides == "two"
    side_alpha = alpha / 2 if is_two_sided else alpha
    spent = [alpha_spent(min(time, 1.0), side_alpha, spending) for time in times]
    bounds: list[float] = []
    region: _Region | None = None
    for k, time in enumerate(times):
        increment = spent[k] - (spent[k - 1] if k else 0.0)
        bounds.append(_bound(region, time, increment))
        region = _continued(region, time, bounds[-1], is_two_sided=is_two_sided)
    factor = 2 if is_two_sided else 1
    nominal = tuple(float(factor * special.ndtr(-bound)) for bound in bounds)
    return Boundaries(tuple(bounds), nominal, tuple(factor * value for value in spent))


class _Region(NamedTuple):
    """Where the test continues: nodes of the score √t z, their weights, and the density there."""

    time: float
    score: Floats
    mass: Floats


def _bound(region: _Region | None, time: float, increment: float) -> float:
    """Return the bound that is crossed for the first time with a given chance."""
    if region is None:
        return float(-special.ndtri(increment))
    step = np.sqrt(time - region.time)

    def excess(z: float) -> float:
        return float(region.mass @ special.ndtr((region.score - z * np.sqrt(time)) / step)) - increment

    # Where less mass is left than is to be spent, everything rejects.
    return 0.0 if excess(0.0) <= 0 else float(optimize.brentq(excess, 0.0, 40.0, xtol=1e-10))


def _continued(region: _Region | None, time: float, bound: float, *, is_two_sided: bool) -> _Region:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    high = bound * np.sqrt(time)
    low = -high if is_two_sided else -_FAR * np.sqrt(time)
    score = (high - low) / 2 * nodes + (high + low) / 2
    if region is None:
        density = np.exp(-(score**2) / (2 * time)) / np.sqrt(2 * np.pi * time)
    else:
        variance = time - region.time
        gaps = score[:, None] - region.score[None, :]
        density = (np.exp(-(gaps**2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)) @ region.mass
    return _Region(time, score, density * weights * (high - low) / 2)


def repeated_p(p_value: float, fractions: Sequence[float], spending: Spending, sides: Sides = "two") -> float:
    """Return the smallest alpha at which the last of these looks would reject: a p-value that allows for all looks.

    Jennison & Turnbull (2000, ch. 9); the smallest over looks is a valid p-value of the whole trial.

    Examples
    --------
    >>> round(repeated_p(0.02, [0.5], "obrien_fleming"), 3), round(repeated_p(0.02, [0.5, 1.0], "obrien_fleming"), 3)
    (0.137, 0.02)
    """
    times = tuple(float(fraction) for fraction in fractions)

    def gap(logit: float) -> float:
        return boundaries(times, float(special.expit(logit)), spending, sides).nominal[-1] - p_value

    low, high = special.logit(max(p_value, 1e-300)) - 1e-6, special.logit(0.95)
    if not np.isfinite(low) or gap(high) < 0:
        return 1.0
    if gap(low) >= 0:
        return p_value
    return float(special.expit(optimize.brentq(gap, low, high, xtol=1e-6)))
