"""Correlation over items of a fixed score with the mean answer of people, with an interval for people and items."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.bootstrap import Blocks
from understudy.analyses.kernels.tails import Interval, check_level
from understudy.analyses.kernels.vectors import Floats, vector

_BATCH = 500
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
