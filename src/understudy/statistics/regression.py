"""Regressions of single answers: least squares, logistic, cluster-robust, and Wald tests."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import optimize, special, stats
from understudy.statistics.arrays import Bools, Floats, Ints, dependent_effects, is_negligible, matrix, pairs, vector
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    EffectTest,
    Interval,
    p_from_t,
    p_from_z,
    t_quantile,
    wald_interval,
    z_quantile,
)


def cluster_robust(
    values: npt.ArrayLike,
    predictors: npt.ArrayLike,
    clusters: tuple[Ints, ...],
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> EffectTest:
    """Test the second coefficient of a regression, with errors clustered in one or two ways.

    The covariance is that of Liang & Zeger (1986) times G / (G - 1) · (N - 1) / (N - k), as `vcovCL(type = "HC1")` of
    R's sandwich; two ways add both and subtract that of their intersection (Cameron, Gelbach & Miller 2011). t has as
    many degrees of freedom as the smaller number of clusters less 1.

    Examples
    --------
    >>> x = np.column_stack([np.ones(6), [1, 1, 1, 0, 0, 0]])
    >>> found = cluster_robust([5, 6, 8, 3, 2, 4], x, (np.array([0, 0, 1, 2, 2, 3]),))
    >>> round(found.estimate, 3), round(found.standard_error, 3), found.df
    (3.333, 1.183, 3)
    """
    y, x = vector(values, "values", least=3), matrix(predictors, "predictors", least=(3, 2))
    n_clusters = min(len(np.unique(labels)) for labels in clusters)
    if n_clusters < 2:
        raise ValueError("Robust errors need at least 2 people (and items) to estimate how much they differ.")
    inverse = np.linalg.pinv(x)
    coefficients = inverse @ y
    estimate = float(coefficients[1])
    variance = float(_covariance(inverse.T * (y - x @ coefficients)[:, None], clusters)[1, 1])
    nan = float("nan")
    if not variance > 0 or is_negligible(variance**0.5, float(np.abs(y).max())):
        return EffectTest(estimate, nan, nan, n_clusters - 1, nan, UNKNOWN)
    error, df = variance**0.5, n_clusters - 1
    t = estimate / error
    limits = wald_interval(estimate, t_quantile(df, level) * error)
    return EffectTest(estimate, error, t, df, p_from_t(t, df, alternative), limits)


def _covariance(influences: Floats, clusters: tuple[Ints, ...]) -> Floats:
    """Return the covariance of coefficients from what each row moves them by, summed within clusters."""
    if len(clusters) == 1:
        return _one_way(influences, clusters[0])
    _, both = np.unique(np.column_stack(clusters), axis=0, return_inverse=True)
    return sum((_one_way(influences, labels) for labels in clusters), -_one_way(influences, both))


def _one_way(influences: Floats, labels: Ints) -> Floats:
    n, k = influences.shape
    _, codes = np.unique(labels, return_inverse=True)
    sums = np.zeros((int(codes.max()) + 1, k))
    np.add.at(sums, codes, influences)
    g = len(sums)
    covariance: Floats = sums.T @ sums * (g / (g - 1) * (n - 1) / (n - k))
    return covariance


# Logistic regression that detects perfectly separated data.

_TOLERANCE = 1e-13
"""The change of the deviance that ends the steps."""
_MOST_STEPS = 100


class LogisticFit(NamedTuple):
    """Maximum-likelihood coefficients in log-odds; test them with `wald.log_odds_test`.

    If a combination of predictors separates yes from no, no finite maximum exists: `is_separated` is then
    true and every number is NaN.
    """

    coefficients: Floats
    standard_errors: Floats
    covariance: Floats
    log_likelihood: float
    n: int
    is_separated: bool


def fit_logistic(answers: npt.ArrayLike, predictors: npt.ArrayLike) -> LogisticFit:
    """Fit P(answer = 1) = 1 / (1 + exp(-x β)) as R's `glm(family = binomial)`.

    Parameters
    ----------
    predictors
        Design matrix with one row per answer, including a column of ones.

    Examples
    --------
    >>> x = np.column_stack([np.ones(6), [1, 2, 3, 4, 5, 6]])
    >>> fit = fit_logistic([0, 0, 1, 0, 1, 1], x)
    >>> fit.coefficients.round(3), round(fit.log_likelihood, 3)
    (array([-4.249,  1.214]), -2.478)
    """
    y, x = vector(answers, "answers"), matrix(predictors, "predictors")
    check_design(y, x)
    n, p = x.shape
    if is_separated(y, x):
        unknown = np.full(p, np.nan)
        return LogisticFit(unknown, unknown, np.full((p, p), np.nan), float("nan"), n, is_separated=True)
    coefficients, covariance = _maximum(y, x)
    likelihood = _log_likelihood(y, x @ coefficients)
    return LogisticFit(coefficients, np.sqrt(np.diag(covariance)), covariance, likelihood, n, is_separated=False)


def _maximum(y: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return coefficients and covariance by iteratively reweighted least squares, from the start that R's glm takes."""
    chances = (y + 0.5) / 2
    predicted = special.logit(chances)
    deviance = np.inf
    for _ in range(_MOST_STEPS):
        spread = chances * (1 - chances)
        root = np.sqrt(spread)
        working = predicted + (y - chances) / spread
        coefficients = np.linalg.pinv(x * root[:, None]) @ (root * working)
        predicted = x @ coefficients
        chances = special.expit(predicted)
        before, deviance = deviance, -2 * _log_likelihood(y, predicted)
        if abs(before - deviance) <= _TOLERANCE:
            break
    inverse = np.linalg.pinv(x * np.sqrt(chances * (1 - chances))[:, None])
    return coefficients, inverse @ inverse.T


def _log_likelihood(y: Floats, predicted: Floats) -> float:
    """Return the sum of log P of each answer, without taking the logarithm of a rounded probability."""
    return float(np.sum(special.log_expit(np.where(y == 1, predicted, -predicted))))


def check_design(y: Floats, x: Floats) -> None:
    """Reject answers other than 0 and 1, and predictors that do not fit them or are collinear."""
    if not np.isin(y, (0, 1)).all():
        raise ValueError("answers holds values other than 0 and 1.")
    if len(x) != y.size:
        raise ValueError(f"predictors has {len(x)} rows for {y.size} answers; the numbers must be equal.")
    rank = int(np.linalg.matrix_rank(x))
    if rank < x.shape[1]:
        raise ValueError(dependent_effects(x.shape[1], rank))


def is_separated(y: Floats, x: Floats) -> bool:
    """Return whether some direction of the predictors never contradicts an answer (complete or quasi separation).

    A linear programme (Konis 2007): maximize Σ s x β subject to s x β >= 0, with s = ±1 by answer.

    Examples
    --------
    >>> is_separated(np.array([0.0, 0, 1, 1]), np.column_stack([np.ones(4), [1, 2, 3, 4]]))
    True
    """
    signed = np.unique(x * (2 * y - 1)[:, None], axis=0)
    # Scaling the predictors keeps the tolerance below meaningful for any unit.
    scale = np.abs(signed).max(axis=0)
    rows = signed / np.where(scale > 0, scale, 1)
    # Bounded by ±1, because any separating direction could be scaled without end.
    result = optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    return bool(result.status == 0 and float(result.fun or 0.0) < -1e-7)


def is_ordinal_separated(categories: Ints, x: Floats) -> bool:
    """Return whether some direction of the predictors never contradicts an ordered answer; `x` starts with ones.

    In a cumulative model, an answer lies below the threshold above it and above the threshold below it. Each of these
    is a yes-or-no answer with the thresholds as predictors, so the same linear programme decides.

    Examples
    --------
    >>> is_ordinal_separated(np.array([2, 2, 0, 1, 2]), np.column_stack([np.ones(5), [1, 1, 0, 0, 0]]))
    True
    >>> is_ordinal_separated(np.array([2, 1, 0, 1, 2]), np.column_stack([np.ones(5), [1, 1, 0, 0, 0]]))
    False
    """
    thresholds = np.eye(int(categories.max()))
    low, high = categories > 0, categories < categories.max()
    # The thresholds take the place of the intercept.
    above = np.hstack([-thresholds[categories[low] - 1], x[low, 1:]])
    below = np.hstack([-thresholds[categories[high]], x[high, 1:]])
    answers = np.concatenate([np.ones(len(above)), np.zeros(len(below))])
    return is_separated(answers, np.vstack([above, below]))


# Many logistic regressions on one predictor at once, for bootstraps of a curve.

# Steeper curves than this have no finite maximum: yes and no are separated.
_RUNAWAY = 30.0


class LogisticCurves(NamedTuple):
    """Intercepts and slopes in log-odds, one of each per data set.

    NaN if the answers are separated or the predictor does not vary.
    """

    intercepts: Floats
    slopes: Floats

    def rise(self, low: float, high: float) -> Floats:
        """Return how much the chance of yes grows from one value of the predictor to another."""
        at = [special.expit(self.intercepts + self.slopes * value) for value in (low, high)]
        grown: Floats = at[1] - at[0]
        return grown


def fit_logistic_curves(successes: Floats, trials: Floats, values: Floats) -> LogisticCurves:
    """Fit `cbind(k, n - k) ~ x` as R's glm, for counts of shape (data sets, values of x).

    Examples
    --------
    >>> curves = fit_logistic_curves(np.array([[1.0, 2, 4]]), np.full((1, 3), 5.0), np.array([1.0, 2, 3]))
    >>> curves.slopes.round(3), curves.rise(2, 3).round(3)
    (array([1.396]), array([0.316]))
    """
    # Centring makes intercept and slope nearly uncorrelated, so that Newton converges in few steps.
    centre = float(np.average(values, weights=trials.sum(axis=0)))
    x = values - centre
    totals = successes.sum(axis=1), trials.sum(axis=1)
    # Without yes and no, or with one value of x, there is no curve to fit.
    has_both = (totals[0] > 0) & (totals[0] < totals[1]) & ((trials > 0).sum(axis=1) > 1)
    beta = np.column_stack([special.logit((totals[0] + 0.5) / (totals[1] + 1)), np.zeros(len(successes))])
    active, is_done = has_both.copy(), np.zeros(len(successes), dtype=np.bool_)
    for _ in range(50):
        if not active.any():
            break
        step = _newton(beta[active], successes[active], trials[active], x)
        beta[active] += step
        has_arrived = np.abs(step).max(axis=1) < 1e-10
        is_lost = np.abs(beta[active]).max(axis=1) > _RUNAWAY
        is_done[active] = has_arrived & ~is_lost
        active[active] = ~has_arrived & ~is_lost
    return _curves(beta, is_done, centre)


def _newton(beta: Floats, successes: Floats, trials: Floats, x: Floats) -> Floats:
    share = special.expit(beta[:, :1] + beta[:, 1:] * x)
    residual, weight = successes - trials * share, trials * share * (1 - share)
    a, b, c = weight.sum(axis=1), weight @ x, weight @ x**2
    first, second = residual.sum(axis=1), residual @ x
    # The inverse of a 2 × 2 matrix written out; the floor avoids dividing by zero.
    determinant = np.maximum(a * c - b**2, 1e-300)
    step = np.column_stack([c * first - b * second, a * second - b * first]) / determinant[:, None]
    clipped: Floats = np.clip(step, -2, 2)
    return clipped


def _curves(beta: Floats, is_done: Bools, centre: float) -> LogisticCurves:
    coefficients = np.where(is_done[:, None], beta, np.nan)
    return LogisticCurves(coefficients[:, 0] - coefficients[:, 1] * centre, coefficients[:, 1])


# Regression to the mean: whether Change depends on where people started, beyond what chance explains.


class LineFit(NamedTuple):
    """An ordinary least-squares line with its t test of a slope of 0."""

    slope: float
    intercept: float
    standard_error: float
    statistic: float
    df: int
    p_value: float
    interval: Interval
    n: int


def fit_line(x: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> LineFit:
    """Fit y on x as R's `lm(y ~ x)`; without spread in x, every number is NaN.

    Examples
    --------
    >>> line = fit_line([1, 2, 3, 4], [2.0, 1, 4, 3])
    >>> round(line.slope, 3), round(line.p_value, 3)
    (0.6, 0.4)
    """
    first, second = pairs(x, y, least=3)
    # Rounding leaves a tiny spread of values that are all the same.
    if np.ptp(first) <= 1e-12 * max(1.0, float(np.abs(first).max())):
        nan = float("nan")
        return LineFit(nan, nan, nan, nan, first.size - 2, nan, Interval(nan, nan), first.size)
    regression = stats.linregress(first, second)
    df = first.size - 2
    slope, error = float(regression.slope), float(regression.stderr)
    t = slope / error if error > 0 else float("nan")
    limits = wald_interval(slope, error * t_quantile(df, level))
    return LineFit(slope, float(regression.intercept), error, t, df, p_from_t(t, df), limits, first.size)


def split_slope(before: Floats, after: Floats) -> float:
    """Return the slope of Change on the start if both come from different items of the same person.

    Chance in the first answers enters Change with the opposite sign, which alone makes the plain slope negative. Halves
    of the items (odd and even columns of participants × items matrices) share no chance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> skill = rng.random((400, 1))
    >>> before, after = (np.asarray(rng.random((400, 20)) < skill, dtype=float) for _ in range(2))
    >>> abs(split_slope(before, after)) < 0.06
    True
    """
    slopes = []
    for half in (0, 1):
        # Start and change come from different items, so their errors are independent.
        start = _row_means(before[:, half::2])
        change = _row_means((after - before)[:, 1 - half :: 2])
        is_known = np.isfinite(start) & np.isfinite(change)
        if np.count_nonzero(is_known) > 2 and start[is_known].std() > 0:
            slopes.append(fit_line(start[is_known], change[is_known]).slope)
    return float(np.mean(slopes)) if slopes else float("nan")


def _row_means(table: Floats) -> Floats:
    is_present = ~np.isnan(table)
    counts = is_present.sum(axis=1)
    sums = np.where(is_present, table, 0.0).sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(table), np.nan), where=counts > 0)
    return means


# Wald tests of log-odds, shared by the logistic kernels.


class LogOddsModel(NamedTuple):
    """Fitted coefficients in log-odds and their covariance; NaN if the answers are separated."""

    coefficients: Floats
    covariance: Floats


class WaldTest(NamedTuple):
    """A contrast of log-odds with its z test and odds ratio."""

    estimate: float
    standard_error: float
    statistic: float
    p_value: float
    interval: Interval
    odds_ratio: float
    odds_ratio_interval: Interval


def log_odds_test(
    model: LogOddsModel, contrast: npt.ArrayLike, *, alternative: Alternative = "two-sided", level: float = 0.95
) -> WaldTest:
    """Test a weighted sum of coefficients against 0.

    Parameters
    ----------
    contrast
        One weight per coefficient, such as [0, 1] for the second one.

    Examples
    --------
    >>> test = log_odds_test(LogOddsModel(np.array([0.2, 1.0]), np.diag([0.04, 0.25])), [0, 1])
    >>> test.statistic, round(test.p_value, 4), round(test.odds_ratio, 3)
    (2.0, 0.0455, 2.718)
    """
    weights = np.asarray(contrast, dtype=np.float64)
    if weights.shape != model.coefficients.shape:
        raise ValueError(f"contrast has shape {weights.shape}; {model.coefficients.shape} is needed.")
    estimate = float(weights @ model.coefficients)
    error = float(np.sqrt(weights @ model.covariance @ weights))
    # A separated fit has no standard error, so z is NaN.
    z = estimate / error if error > 0 else float("nan")
    interval = wald_interval(estimate, z_quantile(level) * error)
    # A huge log-odds has an infinite odds ratio, which is a result and not an error.
    with np.errstate(over="ignore"):
        odds = [float(np.exp(value)) for value in (estimate, *interval)]
    return WaldTest(estimate, error, z, p_from_z(z, alternative), interval, odds[0], Interval(odds[1], odds[2]))
