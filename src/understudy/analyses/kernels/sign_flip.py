"""Sign-flip permutation test of paired differences: exact if that is feasible, sampled otherwise."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats, vector
from understudy.deferred.scipy import special

_MOST_ENUMERATED = 18
"""The most nonzero differences for which all 2^n sign patterns are enumerated."""
_MOST_STEPS = 200_000
"""The longest grid of sums on which their distribution is computed exactly."""
_MOST_WORK = 2e9
_LATTICE = 10_000
"""Differences that are whole multiples of 1/10,000, or of a divisor of it, are on a grid."""
_DRAWN_AT_ONCE = 64


class SignFlip(NamedTuple):
    """A two-sided p-value and its method; `n_draws` is None if it is exact."""

    p_value: float
    method: Literal["exact", "drawn"]
    n_draws: int | None = None


def sign_flip_counts(n_up: int, n_down: int) -> SignFlip:
    """Test differences of 0/1 scores, of which `n_up` are +1 and `n_down` are -1; all others are 0.

    The sum of m signs is binomial, so this is the exact test of McNemar.

    Examples
    --------
    >>> round(sign_flip_counts(9, 2).p_value, 6)
    0.06543
    """
    n, least = n_up + n_down, min(n_up, n_down)
    if n_up == n_down:
        return SignFlip(1.0, "exact")
    return SignFlip(min(1.0, 2 * float(special.bdtr(least, n, 0.5))), "exact")


def sign_flip(differences: npt.ArrayLike, *, rng: np.random.Generator, n_draws: int = 9_999) -> SignFlip:
    """Test whether differences are symmetric about 0, by their sum under every choice of signs.

    Parameters
    ----------
    n_draws
        Random choices of signs if the exact distribution is infeasible; the observed one counts as one more
        (Phipson & Smyth 2010).

    Notes
    -----
    Exact by enumeration for up to 18 nonzero differences, and for any number that are on a grid, such as
    differences of 0/1 scores or of scores rounded to 0.01: there the distribution of the sum is built up
    difference by difference.

    Examples
    --------
    >>> sign_flip([0.3, 0.5, -0.1, 0.4], rng=np.random.default_rng(0)).p_value
    0.25
    """
    d = vector(differences, "differences", least=1)
    # A zero keeps its value under any sign and changes nothing.
    d = d[d != 0]
    if d.size == 0:
        return SignFlip(1.0, "exact")
    if d.size <= _MOST_ENUMERATED:
        return SignFlip(_enumerated_p(d), "exact")
    steps = _steps_of(d)
    if steps is not None:
        return SignFlip(_grid_p(steps), "exact")
    return SignFlip(_sampled_p(d, rng, n_draws), "drawn", n_draws)


def _enumerated_p(d: Floats) -> float:
    """Enumerate the sums of all sign patterns that begin with plus; the others are their mirror image."""
    sums = d[:1]
    for difference in d[1:]:
        sums = np.concatenate([sums + difference, sums - difference])
    return float(np.mean(np.abs(sums) >= _reached(d)))


def _steps_of(d: Floats) -> npt.NDArray[np.int64] | None:
    """Return differences as whole steps of their coarsest grid; None without a feasible one."""
    fine = np.rint(d * _LATTICE)
    if not np.allclose(fine, d * _LATTICE, rtol=0, atol=1e-7):
        return None
    steps = np.abs(fine).astype(np.int64)
    steps = np.where(fine < 0, -1, 1) * (steps // np.gcd.reduce(steps))
    magnitudes = np.unique(np.abs(steps))
    total = int(np.abs(steps).sum())
    counts = np.bincount(np.searchsorted(magnitudes, np.abs(steps)))
    is_in_reach = magnitudes.size == 1 or (total < _MOST_STEPS and float(total) * counts.sum() < _MOST_WORK)
    return steps if is_in_reach else None


def _grid_p(steps: npt.NDArray[np.int64]) -> float:
    """Build the distribution of the sum; flipping a difference changes the sum by twice its size."""
    sizes = np.abs(steps)
    if (sizes == sizes[0]).all():
        return sign_flip_counts(int((steps > 0).sum()), int((steps < 0).sum())).p_value
    total = int(sizes.sum())
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    # chances[s] is the chance that the differences with a plus sign add up to s, so that their sum is 2 s - total.
    for size in np.sort(sizes):
        chances[size:] = (chances[size:] + chances[:-size]) / 2
        chances[:size] /= 2
    sums = 2 * np.arange(total + 1) - total
    return float(min(1.0, chances[np.abs(sums) >= abs(int(steps.sum()))].sum()))


def _sampled_p(d: Floats, rng: np.random.Generator, n_draws: int) -> float:
    reached, n_beyond, drawn = _reached(d), 0, 0
    while drawn < n_draws:
        n = min(_DRAWN_AT_ONCE, n_draws - drawn)
        # Each random byte gives eight signs.
        bits = np.unpackbits(rng.integers(0, 256, size=(n, -(-d.size // 8)), dtype=np.uint8), axis=1, count=d.size)
        sums = 2 * (bits.astype(np.float64) @ d) - d.sum()
        n_beyond += int((np.abs(sums) >= reached).sum())
        drawn += n
    return (n_beyond + 1) / (n_draws + 1)


def _reached(d: Floats) -> float:
    """Return the size of the observed sum, minus a tolerance for rounding."""
    return abs(float(d.sum())) - 1e-12 * float(np.abs(d).sum())
