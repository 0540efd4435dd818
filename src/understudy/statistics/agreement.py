"""Agreement and consistency: ICC, kappa, Krippendorff's alpha and omega."""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import optimize, stats
from understudy.statistics.arrays import Floats, matrix
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    Interval,
    check_level,
    p_from_f,
    p_from_z,
    wald_interval,
    z_quantile,
)

IccKind = Literal["agreement", "consistency", "one_way"]


class IntraclassCorrelation(NamedTuple):
    """An intraclass correlation with its interval and the F test that it is above 0; NaN where nothing varies."""

    estimate: float
    interval: Interval
    statistic: float
    df: tuple[float, float]
    p_value: float


class _Squares(NamedTuple):
    targets: float
    raters: float
    error: float
    within: float


def intraclass_correlation(
    ratings: npt.ArrayLike, *, kind: IccKind = "agreement", averages: bool = False, level: float = 0.95
) -> IntraclassCorrelation:
    """Return an ICC of McGraw & Wong (1996) for things in rows and raters in columns.

    agreement is ICC(A,1) (Shrout & Fleiss's 2,1), consistency ICC(C,1) (3,1), which forgives raters who are stricter
    throughout, one_way ICC(1) for other raters of each thing. `averages` is of the mean of all raters.

    Examples
    --------
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(intraclass_correlation(ratings, kind=k).estimate, 4) for k in ("one_way", "agreement", "consistency")]
    [0.1657, 0.2898, 0.7148]
    """
    rows = matrix(ratings, "ratings", least=(2, 2))
    n, k = rows.shape
    squares = _mean_squares(rows)
    error = squares.within if kind == "one_way" else squares.error
    df = (float(n - 1), float(n * (k - 1) if kind == "one_way" else (n - 1) * (k - 1)))
    nan = float("nan")
    if not squares.within > 0:
        return IntraclassCorrelation(nan, UNKNOWN, nan, df, nan)
    # Raters disagree about the level only (so the error is 0), which is perfect consistency.
    spread = k * (squares.raters - squares.error) / n if kind == "agreement" else 0.0
    single = (squares.targets - error) / (squares.targets + (k - 1) * error + spread)
    if not error > 0:
        return IntraclassCorrelation(_of(single, k, averages=averages), UNKNOWN, nan, df, nan)
    f = squares.targets / error
    limits = _limits(single, squares, (n, k), kind=kind, level=check_level(level))
    both = Interval(*(_of(limit, k, averages=averages) for limit in limits))
    return IntraclassCorrelation(_of(single, k, averages=averages), both, f, df, p_from_f(f, df))


def _of(single: float, k: int, *, averages: bool) -> float:
    """Step up from one rater to the mean of k by Spearman & Brown's formula."""
    return single * k / (1 + single * (k - 1)) if averages else single


def _mean_squares(rows: Floats) -> _Squares:
    n, k = rows.shape
    centred = rows - rows.mean()
    targets = k * float((centred.mean(axis=1) ** 2).sum())
    raters = n * float((centred.mean(axis=0) ** 2).sum())
    total = float((centred**2).sum())
    error = max(total - targets - raters, 0.0)
    # Sums of squares of equal numbers leave rounding behind.
    error = error if error > 1e-13 * total else 0.0
    within = total - targets
    within = within if within > 1e-13 * float((rows**2).sum()) else 0.0
    return _Squares(targets / (n - 1), raters / (k - 1), error / ((n - 1) * (k - 1)), within / (n * (k - 1)))


def _limits(single: float, squares: _Squares, shape: tuple[int, int], *, kind: IccKind, level: float) -> Interval:
    n, k = shape
    upper_tail = 1 - (1 - level) / 2
    if kind != "agreement":
        error_df = n * (k - 1) if kind == "one_way" else (n - 1) * (k - 1)
        f = squares.targets / (squares.within if kind == "one_way" else squares.error)
        low = f / float(stats.f.ppf(upper_tail, n - 1, error_df))
        high = f * float(stats.f.ppf(upper_tail, error_df, n - 1))
        return Interval((low - 1) / (low + k - 1), (high - 1) / (high + k - 1))
    # Satterthwaite's degrees of freedom for the mixture of mean squares (McGraw & Wong 1996, table 7).
    f_raters = squares.raters / squares.error
    mixed = n * (1 + (k - 1) * single) - k * single
    v = (k - 1) * (n - 1) * (k * single * f_raters + mixed) ** 2
    v /= (n - 1) * k**2 * single**2 * f_raters**2 + mixed**2
    below, above = float(stats.f.ppf(upper_tail, n - 1, v)), float(stats.f.ppf(upper_tail, v, n - 1))
    other = k * squares.raters + (k * n - k - n) * squares.error
    low = n * (squares.targets - below * squares.error) / (below * other + n * squares.targets)
    high = n * (above * squares.targets - squares.error) / (other + n * above * squares.targets)
    return Interval(low, high)


# Cohen's kappa: agreement of two raters beyond chance.

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


# Krippendorff's alpha: agreement of any number of raters, also where some ratings are missing.
#
# Written here because neither scipy nor statsmodels has it.

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


# McDonald's omega: reliability of a sum of items that share one factor.
#
# The one-factor model is fitted here because statsmodels' factor analysis stops too early for six digits.

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
