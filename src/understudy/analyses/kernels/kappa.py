"""Cohen's kappa: agreement of two raters beyond chance."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import (
    UNKNOWN,
    Alternative,
    Interval,
    p_from_z,
    wald_interval,
    z_quantile,
)
from understudy.analyses.kernels.vectors import Floats

KappaWeights = Literal["unweighted", "linear", "quadratic"]


class Kappa(NamedTuple):
    """Cohen's kappa; if both raters use only one category, all but n is NaN.

    `standard_error` is that of the estimate, for the interval; `statistic` is z with the standard error
    under no agreement beyond chance.
    """

    kappa: float
    standard_error: float
    interval: Interval
    statistic: float
    p_value: float
    n: int


def agreement_table(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Count the pairs of labels that two raters gave, with categories in sorted order.

    Examples
    --------
    >>> agreement_table(["a", "b", "b"], ["a", "b", "a"])
    array([[1., 0.],
           [1., 1.]])
    """
    x, y = np.asarray(first), np.asarray(second)
    if x.shape != y.shape or x.ndim != 1 or x.size == 0:
        raise ValueError(f"The raters gave {x.size} and {y.size} labels; equally many, at least 1, are needed.")
    names, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    table = np.zeros((names.size, names.size))
    np.add.at(table, (codes[: x.size], codes[x.size :]), 1)
    return table


def cohen_kappa(
    table: npt.ArrayLike,
    *,
    weights: KappaWeights = "unweighted",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Kappa:
    """Estimate kappa from a square table of counts (Cohen 1960, 1968).

    Standard errors are the asymptotic ones of Fleiss, Cohen & Everitt (1969).

    Examples
    --------
    >>> result = cohen_kappa([[30, 4], [5, 11]])
    >>> round(result.kappa, 4), round(result.interval.low, 3)
    (0.5794, 0.335)
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any() or not counts.sum() > 0:
        raise ValueError(f"table has shape {counts.shape}; a square table of counts, not all 0, is needed.")
    if weights not in ("unweighted", "linear", "quadratic"):
        raise ValueError(f"weights is {weights!r}; it must be 'unweighted', 'linear' or 'quadratic'.")
    n = int(counts.sum())
    # With one category in use, agreement by chance is 1 and kappa is 0 / 0.
    used = (counts.sum(axis=0) > 0) | (counts.sum(axis=1) > 0)
    nan = float("nan")
    if used.sum() < 2:
        return Kappa(nan, nan, UNKNOWN, nan, nan, n)
    # Raters who always say the same leave nothing to divide by; the result is NaN then.
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa, variance, null_variance = _kappa_and_variances(counts / n, _credit_of(len(counts), weights))
    # Rounding can make a variance of zero slightly negative.
    error, null_error = (max(squared / n, 0.0) ** 0.5 for squared in (variance, null_variance))
    z = kappa / null_error if null_error > 0 else nan
    interval = wald_interval(kappa, z_quantile(level) * error)
    return Kappa(kappa, error, interval, z, p_from_z(z, alternative), n)


def _credit_of(n_categories: int, weights: KappaWeights) -> Floats:
    """Return how far each pair of categories counts as agreement: 1 if equal, 0 if farthest apart."""
    if weights == "unweighted":
        return np.eye(n_categories)
    ranks = np.arange(n_categories)
    apart: Floats = np.abs(ranks[:, None] - ranks) / (n_categories - 1)
    return 1 - (apart if weights == "linear" else apart**2)


def _kappa_and_variances(shares: Floats, credit: Floats) -> tuple[float, float, float]:
    """Return kappa, and its variance times n: at the estimate, and if raters agree by chance only."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = np.outer(rows, columns)
    expected = float((credit * by_chance).sum())
    kappa = (float((credit * shares).sum()) - expected) / (1 - expected)
    # The mean credit of a category of one rater, over the other rater's categories.
    mean_credit = (credit @ columns)[:, None] + rows @ credit
    spread = float((shares * (credit - mean_credit * (1 - kappa)) ** 2).sum())
    variance = spread - (kappa - expected * (1 - kappa)) ** 2
    null_variance = float((by_chance * (credit - mean_credit) ** 2).sum()) - expected**2
    return kappa, variance / (1 - expected) ** 2, null_variance / (1 - expected) ** 2
