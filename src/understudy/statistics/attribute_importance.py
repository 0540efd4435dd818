"""Importance of an attribute: how logits answer when it alone is redrawn.

Definitions by Sixt et al. (2022), Tables 1, 3 and 4. Rows are pictures; each has a partner that differs in one attribute.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.statistics.arrays import Floats, is_negligible, pairs
from understudy.statistics.distributions import Interval, check_level

# Resamples are drawn in batches whose largest array stays near this many numbers (16 MB).
_BATCH_CELLS = 2_000_000


class Estimate(NamedTuple):
    """A number with percentile limits of a bootstrap over pictures."""

    value: float
    interval: Interval


class Importance(NamedTuple):
    """What an attribute does to a logit."""

    flip_rate: Estimate
    """Share of pictures whose predicted class changes."""
    median_change: Estimate
    """Median of the absolute change of the logit."""
    r_squared: Estimate
    """Share of the variance of the change that a line through the change of the attribute explains."""
    n: int


class Direction(NamedTuple):
    """Where an attribute moves latents, against the weights of a classifier."""

    norm: float
    """Mean length of the change of the latents."""
    norm_deviation: float
    angle: float
    """Mean angle with the weights, in degrees, of a change towards larger values of the attribute."""
    angle_deviation: float


def importance(
    logits: npt.ArrayLike,
    changed: npt.ArrayLike,
    attribute_change: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int = 1000,
    level: float = 0.95,
) -> Importance:
    """Measure importance from the logits of pictures, those of their partners, and how far the attribute moved.

    Flip rate and change alone do not separate relevant attributes from noise; the share of explained variance does.
    A logit of 0 counts as class 0. An attribute that never moves, or a logit that never changes, explains nothing:
    its share is 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> moved = np.array([-1.0, 0.5, 1.0, 2.0])
    >>> result = importance([1.0, 1.0, -1.0, -1.0], 2 * moved + [1.0, 1.0, -1.0, -1.0], moved, rng=rng)
    >>> result.flip_rate.value, result.median_change.value, round(result.r_squared.value, 6)
    (0.75, 2.0, 1.0)
    """
    before, after = pairs(logits, changed)
    change, moved = pairs(after - before, attribute_change)
    is_flipped = (before > 0) != (after > 0)
    size = np.abs(change)
    tail = (1 - check_level(level)) / 2
    resampled = np.concatenate(
        [_resampled(is_flipped, change, moved, draws) for draws in _draws(len(change), n_resamples, rng)]
    )
    limits = np.quantile(resampled, [tail, 1 - tail], axis=0).T
    values = (float(is_flipped.mean()), float(np.median(size)), r_squared(change, moved))
    flips, sizes, shares = (
        Estimate(value, Interval(*map(float, limit))) for value, limit in zip(values, limits, strict=True)
    )
    return Importance(flips, sizes, shares, len(change))


def r_squared(change: Floats, moved: Floats) -> float:
    """Return the share of variance that a line with an intercept explains: the squared correlation.

    Examples
    --------
    >>> r_squared(np.array([1.0, 3.0, 5.0]), np.array([0.0, 1.0, 2.0]))
    1.0
    """
    if any(is_negligible(float(values.std()), float(np.abs(values).max())) for values in (change, moved)):
        return 0.0
    return float(_r_squared(change[None], moved[None])[0])


def direction(
    lengths: npt.ArrayLike, logit_change: npt.ArrayLike, attribute_change: npt.ArrayLike, *, weight_length: float
) -> Direction:
    """Measure where an attribute moves latents that a linear classifier reads.

    A change of latents by d has the length |d| and changes the logit by w·d, so that its angle with w follows from lengths
    and logits. Changes point towards larger values of the attribute: without that, an attribute that is
    redrawn moves latents back as often as forth, and every mean angle is 90 degrees. The mean angles of up to 90.0
    with a standard deviation of 1.5 in Table 4 fit this reading, and exclude one by absolute values.

    Examples
    --------
    >>> result = direction([5.0, 2.0], [4.0, -2.0], [0.1, -0.3], weight_length=1.0)
    >>> round(result.norm, 3), round(result.angle, 3)
    (3.5, 18.435)
    """
    norms, change = pairs(lengths, logit_change)
    _, moved = pairs(change, attribute_change)
    if not weight_length > 0:
        raise ValueError(f"weight_length is {weight_length}; the classifier needs weights other than 0.")
    # A partner that is the same picture has no direction.
    has_direction = (norms > 0) & (moved != 0)
    cosines = (np.sign(moved) * change)[has_direction] / (norms[has_direction] * weight_length)
    angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    return Direction(*_mean_and_deviation(norms), *_mean_and_deviation(angles))


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    mean = float(values.mean()) if values.size else float("nan")
    return mean, float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _draws(n: int, n_resamples: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples}; at least 1 is needed.")
    batch = max(1, _BATCH_CELLS // n)
    sizes = [min(batch, n_resamples - start) for start in range(0, n_resamples, batch)]
    return [rng.integers(n, size=(size, n)) for size in sizes]


def _resampled(
    is_flipped: npt.NDArray[np.bool_], change: Floats, moved: Floats, draws: npt.NDArray[np.int64]
) -> Floats:
    """Return flip rate, median change and explained share of each resample."""
    drawn = change[draws]
    return np.column_stack(
        [is_flipped[draws].mean(1), np.median(np.abs(drawn), axis=1), _r_squared(drawn, moved[draws])]
    )


def _r_squared(change: Floats, moved: Floats) -> Floats:
    one, two = change - change.mean(1, keepdims=True), moved - moved.mean(1, keepdims=True)
    product = (one * one).sum(1) * (two * two).sum(1)
    shares: Floats = (one * two).sum(1) ** 2 / np.where(product > 0, product, 1)
    return np.minimum(shares, 1)
