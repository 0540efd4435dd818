"""Correlations of two columns, of repeated answers, and over items."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import stats
from understudy.statistics.arrays import Floats, is_negligible, pairs, vector
from understudy.statistics.bootstrap import Blocks
from understudy.statistics.distributions import UNKNOWN, Alternative, Interval, check_level, p_from_t, z_quantile
from understudy.statistics.ranks import rank_correlation_p

_BATCH = 500


def resampled_correlations(
    first: Floats, second: Floats, people: npt.NDArray[np.int64], *, rng: np.random.Generator, n_resamples: int
) -> Floats:
    """Return Pearson's r of all rows of the people in each resample; NaN where one of the two does not vary.

    Sums of each person are added up with the number of times the person was drawn, so that no row is copied.
    """
    x, y = first - first.mean(), second - second.mean()
    terms = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    n_people = int(people.max()) + 1
    sums = np.zeros((n_people, terms.shape[1]))
    np.add.at(sums, people, terms)
    drawn = [_counts(n_people, size, rng) @ sums for size in _batches(n_resamples)]
    n, sum_x, sum_y, sum_xx, sum_yy, sum_xy = np.concatenate(drawn).T
    covariance = sum_xy - sum_x * sum_y / n
    spread = (sum_xx - sum_x**2 / n) * (sum_yy - sum_y**2 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        r: Floats = np.where(spread > 1e-12 * n**2, covariance / np.sqrt(np.maximum(spread, 0)), np.nan)
    return np.clip(r, -1, 1)


def level_means(values: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """Return the different levels in order, and the mean of the values at each."""
    distinct, index = np.unique(levels, return_inverse=True)
    means: Floats = np.bincount(index, weights=values) / np.bincount(index)
    return distinct, means


def resampled_level_correlations(
    values: Floats, levels: Floats, people: npt.NDArray[np.int64], *, rng: np.random.Generator, n_resamples: int
) -> Floats:
    """Return Spearman's rho of the levels and the mean value at each, in resamples of people."""
    distinct, index = np.unique(levels, return_inverse=True)
    n_people = int(people.max()) + 1
    sums, counts = np.zeros((n_people, distinct.size)), np.zeros((n_people, distinct.size))
    np.add.at(sums, (people, index), values)
    np.add.at(counts, (people, index), 1.0)
    ranks = np.arange(distinct.size) - (distinct.size - 1) / 2
    found = []
    for size in _batches(n_resamples):
        weights = _counts(n_people, size, rng)
        n = weights @ counts
        with np.errstate(divide="ignore", invalid="ignore"):
            means = weights @ sums / n
        order = stats.rankdata(means, axis=1) - (distinct.size + 1) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = order @ ranks / np.sqrt((order**2).sum(axis=1) * (ranks**2).sum())
        # A resample in which nobody has some level says nothing about the order of all of them.
        found.append(np.where((n > 0).all(axis=1), rho, np.nan))
    return np.concatenate(found)


def _counts(n: int, size: int, rng: np.random.Generator) -> Floats:
    return rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)


def _batches(total: int) -> list[int]:
    return [min(_BATCH, total - start) for start in range(0, total, _BATCH)]


# Pearson's and Spearman's correlation with Fisher-z intervals.

_MOST_COUNTED = 8
"""The most pairs whose orders are all counted; eight have 40,320."""


class Correlation(NamedTuple):
    """A correlation with its t test; for a constant variable, all but n and df are NaN."""

    r: float
    statistic: float
    df: int
    p_value: float
    interval: Interval
    n: int


def pearson(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Correlation:
    """Test a linear association; the interval is Fisher's z with standard error 1 / √(n - 3).

    Examples
    --------
    >>> result = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 6])
    >>> round(result.r, 4), round(result.p_value, 4), round(result.interval.low, 3)
    (0.822, 0.0877, -0.219)
    """
    x, y = pairs(first, second, least=3)
    return _correlation(x, y, variance=1.0, alternative=alternative, level=level)


def spearman(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Correlation:
    """Test a monotone association by ranks.

    Up to eight pairs, p counts the orders of ranks, as R does, because t would call a perfect order of three certain;
    from nine on, p is that of t, as with R's `exact = FALSE`. The interval is Fisher's z with standard error
    √((1 + r² / 2) / (n - 3)) (Bonett & Wright 2000).

    Examples
    --------
    >>> result = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 6])
    >>> round(result.r, 4), round(result.p_value, 4)
    (0.8, 0.1333)
    """
    x, y = pairs(first, second, least=3)
    ranks_x, ranks_y = stats.rankdata(x), stats.rankdata(y)
    r = _coefficient(ranks_x, ranks_y)
    test = _correlation(ranks_x, ranks_y, variance=1 + r * r / 2, alternative=alternative, level=level)
    if test.n > _MOST_COUNTED or np.isnan(r):
        return test
    return test._replace(p_value=rank_correlation_p(ranks_x, ranks_y, alternative))


def _coefficient(x: Floats, y: Floats) -> float:
    for values in (x, y):
        if is_negligible(float(values.std()), float(np.abs(values).max())):
            return float("nan")
    a, b = x - x.mean(), y - y.mean()
    # Rounding can push a perfect correlation past 1.
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def _correlation(x: Floats, y: Floats, *, variance: float, alternative: Alternative, level: float) -> Correlation:
    n, r = x.size, _coefficient(x, y)
    rest = 1 - r * r
    if np.isnan(r) or rest <= 0:
        t = float("nan") if np.isnan(r) else float(np.copysign(np.inf, r))
    else:
        t = r * ((n - 2) / rest) ** 0.5
    interval = _fisher_interval(r, (variance / (n - 3)) ** 0.5, level) if n > 3 else UNKNOWN
    return Correlation(r, t, n - 2, p_from_t(t, n - 2, alternative), interval, n)


def _fisher_interval(r: float, error: float, level: float) -> Interval:
    if np.isnan(r):
        return UNKNOWN
    if abs(r) >= 1:
        return Interval(r, r)
    # Fisher (1921): arctanh(r) is nearly normal with a standard error that does not depend on r.
    centre, margin = float(np.arctanh(r)), z_quantile(level) * error
    return Interval(float(np.tanh(centre - margin)), float(np.tanh(centre + margin)))


# Correlation over items of a fixed score with the mean answer of people, with an interval for people and items.

_LEAST = 3


class ItemCorrelation(NamedTuple):
    """A correlation with its percentile interval; NaN where one side is constant."""

    r: float
    interval: Interval
    n_items: int
    n_people: int
    n_resamples: int
    """Those in which both sides varied."""


class _Cells(NamedTuple):
    """The score of each item, and a people x items matrix of answers with 0 where there is none."""

    score: Floats
    filled: Floats
    present: Floats


def item_correlation(
    scores: npt.ArrayLike,
    answers: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    blocks: Blocks = "participants_and_items",
    n_resamples: int = 2000,
    level: float = 0.95,
) -> ItemCorrelation:
    """Correlate one score per item (Pearson) with the mean of a people x items matrix, NaN where an answer is missing.

    People, or people and items, are drawn as wholes, so that answers of one person stay together (Owen 2007).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = item_correlation([0.1, 0.4, 0.5, 0.9], [[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]], rng=rng)
    >>> round(found.r, 3), found.n_items, found.n_people
    (0.977, 4, 3)
    """
    check_level(level)
    score = vector(scores, "scores", least=_LEAST)
    matrix = np.asarray(answers, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != score.size:
        raise ValueError(
            f"answers have the shape {matrix.shape}; there must be one column for each of {score.size} items."
        )
    present = np.isfinite(matrix).astype(np.float64)
    if not present.any(axis=0).all():
        raise ValueError(f"{int((~present.any(axis=0)).sum())} items have no answer; drop them first.")
    cells = _Cells(score, np.where(present > 0, matrix, 0.0), present)
    n_people, n_items = matrix.shape
    whole = _correlations(cells, np.ones((1, n_people)), np.ones((1, n_items)))
    drawn = []
    for start in range(0, n_resamples, _BATCH):
        size = min(_BATCH, n_resamples - start)
        people = rng.multinomial(n_people, np.full(n_people, 1 / n_people), size=size).astype(np.float64)
        items = (
            rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=size).astype(np.float64)
            if blocks == "participants_and_items"
            else np.ones((size, n_items))
        )
        drawn.append(_correlations(cells, people, items))
    resampled = np.concatenate(drawn) if drawn else np.zeros(0)
    finite = resampled[np.isfinite(resampled)]
    tail = (1 - level) / 2
    low, high = np.quantile(finite, [tail, 1 - tail]) if finite.size else (np.nan, np.nan)
    return ItemCorrelation(float(whole[0]), Interval(float(low), float(high)), n_items, n_people, int(finite.size))


def _correlations(cells: _Cells, people: Floats, items: Floats) -> Floats:
    """Return one weighted correlation for each row of weights; items that nobody drawn answered weigh nothing."""
    score, counts = cells.score, people @ cells.present
    means = np.divide(people @ cells.filled, counts, out=np.zeros_like(counts), where=counts > 0)
    weights = items * (counts > 0)
    total = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    x = score[None] - (shares * score).sum(axis=1, keepdims=True)
    y = means - (shares * means).sum(axis=1, keepdims=True)
    spread = np.sqrt((shares * x**2).sum(axis=1) * (shares * y**2).sum(axis=1))
    products = (shares * x * y).sum(axis=1)
    # A spread of rounding errors is none.
    is_spread = spread > 1e-12 * max(1.0, float(np.abs(score).max()))
    return np.asarray(np.clip(np.divide(products, spread, out=np.full_like(spread, np.nan), where=is_spread), -1, 1))
