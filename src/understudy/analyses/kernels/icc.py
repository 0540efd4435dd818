"""Intraclass correlations: how far several raters of the same things agree."""

from typing import Literal, NamedTuple

import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Interval, check_level, p_from_f
from understudy.analyses.kernels.vectors import Floats, matrix
from understudy.deferred.scipy import stats

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
