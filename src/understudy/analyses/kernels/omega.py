"""McDonald's omega: reliability of a sum of items that share one factor.

The one-factor model is fitted here because statsmodels' factor analysis stops too early for six digits.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Interval, z_quantile
from understudy.analyses.kernels.vectors import Floats, matrix
from understudy.deferred.scipy import optimize

_SMALLEST_UNIQUENESS = 0.005
_SINGULAR = 1e-10
_MOST_FITS = 500
"""More people are left out in groups of equal size: a delete-a-group jackknife (Shao & Tu 1995, 5.2.2)."""


class Omega(NamedTuple):
    """Omega total with its interval and the standardized loadings; NaN where an item does not vary."""

    estimate: float
    interval: Interval
    loadings: Floats
    is_heywood: bool
    """Whether an item seems to have no error of its own, so that the estimate is not to be trusted."""


def mcdonald_omega(answers: npt.ArrayLike, *, level: float = 0.95) -> Omega:
    """Return omega = (Σλ)² / ((Σλ)² + Σψ) of items in columns, from the one-factor model by maximum likelihood.

    McDonald (1999). The interval is normal on the scale of log(1 - omega), with the error from the jackknife over
    people.

    Examples
    --------
    >>> answers = [[1, 2, 1], [2, 2, 3], [3, 4, 3], [4, 3, 5], [5, 5, 4], [2, 1, 2], [4, 5, 5]]
    >>> round(mcdonald_omega(answers).estimate, 3)
    0.923
    """
    rows = matrix(answers, "answers", least=(3, 3))
    if not (np.ptp(rows, axis=0) > 0).all():
        return Omega(float("nan"), UNKNOWN, np.full(rows.shape[1], np.nan), is_heywood=False)
    if _follow_from_each_other(rows):
        raise ValueError(
            "The answers to one item follow from those to others, as with two items that everybody answers alike or with "
            "fewer people than items, so omega cannot be estimated. Leave an item out, or use cronbach_alpha."
        )
    estimate, loadings, is_heywood = _omega(rows)
    groups = np.arange(len(rows)) % _MOST_FITS
    without = np.array([_jackknifed(rows[groups != group]) for group in np.unique(groups)])
    logs = np.log1p(-without[np.isfinite(without) & (without < 1)])
    if logs.size < 3 or not estimate < 1:
        return Omega(estimate, UNKNOWN, loadings, is_heywood)
    error = float(np.sqrt((logs.size - 1) / logs.size * ((logs - logs.mean()) ** 2).sum()))
    margin = z_quantile(level) * error
    centre = float(np.log1p(-estimate))
    limits = Interval(1 - float(np.exp(centre + margin)), 1 - float(np.exp(centre - margin)))
    return Omega(estimate, limits, loadings, is_heywood)


def _follow_from_each_other(rows: Floats) -> bool:
    """Say whether the correlations are singular, in which case the likelihood of a factor has no maximum."""
    return float(np.linalg.eigvalsh(np.corrcoef(rows, rowvar=False))[0]) < _SINGULAR


def _jackknifed(rows: Floats) -> float:
    is_regular = bool((np.ptp(rows, axis=0) > 0).all()) and not _follow_from_each_other(rows)
    return _omega(rows)[0] if is_regular else float("nan")


def _omega(rows: Floats) -> tuple[float, Floats, bool]:
    correlation, spread = np.atleast_2d(np.corrcoef(rows, rowvar=False)), rows.std(axis=0, ddof=1)
    loadings, uniqueness = _one_factor(correlation)
    # Items enter the sum in their own units, so each loading counts by its item's spread.
    common = float((loadings * spread).sum()) ** 2
    omega = common / (common + float((uniqueness * spread**2).sum()))
    return omega, loadings, bool(uniqueness.min() <= _SMALLEST_UNIQUENESS * 1.001)


def _one_factor(correlation: Floats) -> tuple[Floats, Floats]:
    """Return loadings and uniquenesses of one factor (Lawley & Maxwell 1971; the search of R's `factanal`)."""
    start = np.clip(0.5 / np.diag(np.linalg.pinv(correlation)), _SMALLEST_UNIQUENESS, 1.0)
    bounds = [(_SMALLEST_UNIQUENESS, 1.0)] * len(correlation)

    def objective(uniqueness: Floats) -> tuple[float, Floats]:
        loadings, others = _loadings(correlation, uniqueness)
        # The likelihood is in the eigenvalues that the factor leaves over.
        discrepancy = -float(np.sum(np.log(np.maximum(others, 1e-300)) - others)) - len(others)
        gap = np.outer(loadings, loadings) + np.diag(uniqueness) - correlation
        return discrepancy, np.diag(gap) / uniqueness**2

    found = optimize.minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
    )
    loadings, _ = _loadings(correlation, found.x)
    return loadings * (1 if loadings.sum() >= 0 else -1), found.x


def _loadings(correlation: Floats, uniqueness: Floats) -> tuple[Floats, Floats]:
    scale = uniqueness**-0.5
    values, vectors = np.linalg.eigh(correlation * np.outer(scale, scale))
    loadings: Floats = vectors[:, -1] * max(values[-1] - 1, 0.0) ** 0.5 / scale
    return loadings, values[:-1]
