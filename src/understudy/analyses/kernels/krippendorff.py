"""Krippendorff's alpha: agreement of any number of raters, also where some ratings are missing.

Written here because neither scipy nor statsmodels has it.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Interval, check_level
from understudy.analyses.kernels.vectors import Floats

AlphaLevel = Literal["nominal", "ordinal", "interval"]


def coincidences(codes: npt.NDArray[Any], n_values: int) -> Floats:
    """Return one matrix of coincidences for each unit; codes are units × raters, -1 where a rating is missing.

    Each pair of ratings of a unit counts 1 / (m - 1), so that a unit counts as often as it has ratings.
    """
    counts = np.stack([np.bincount(row[row >= 0], minlength=n_values) for row in codes]).astype(np.float64)
    m = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= np.einsum("uv,vw->uvw", counts, np.eye(n_values))
    matrices: Floats = pairs / np.maximum(m - 1, 1)[:, None, None]
    # A single rating agrees with nothing.
    matrices[m < 2] = 0.0
    return matrices


def krippendorff_alpha(observed: Floats, values: Floats, level: AlphaLevel = "nominal") -> float:
    """Return alpha = 1 - D_observed / D_expected from the sum of coincidences (Krippendorff 2011).

    Examples
    --------
    >>> codes = np.array([[0, 0], [1, 1], [0, 1], [1, 1]])
    >>> round(krippendorff_alpha(coincidences(codes, 2).sum(axis=0), np.array([0.0, 1.0])), 4)
    0.5333
    """
    totals = observed.sum(axis=0)
    n = totals.sum()
    if n < 2:
        return float("nan")
    distances = _distances(values, totals, level)
    expected = (np.outer(totals, totals) * distances).sum() / (n - 1)
    return float(1 - (observed * distances).sum() / expected) if expected > 0 else float("nan")


def alpha_interval(
    matrices: Floats,
    values: Floats,
    level: AlphaLevel,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    confidence: float,
) -> Interval:
    """Return the percentile interval of alpha over resampled units."""
    n_units = len(matrices)
    if n_units < 2:
        return UNKNOWN
    draws = rng.multinomial(n_units, np.full(n_units, 1 / n_units), size=n_resamples)
    sums = np.einsum("bu,uvw->bvw", draws, matrices)
    found = np.array([krippendorff_alpha(each, values, level) for each in sums])
    found = found[np.isfinite(found)]
    if not found.size:
        return UNKNOWN
    tail = (1 - check_level(confidence)) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _distances(values: Floats, totals: Floats, level: AlphaLevel) -> Floats:
    if level == "nominal":
        return np.asarray(values[:, None] != values[None, :], dtype=np.float64)
    if level == "interval":
        squared: Floats = (values[:, None] - values[None, :]) ** 2
        return squared
    # Ordinal distance: the ratings from one value to the other, each end by half.
    middle = np.cumsum(totals) - totals / 2
    ordinal: Floats = (middle[:, None] - middle[None, :]) ** 2
    return ordinal
