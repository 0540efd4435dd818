"""One-way analysis of variance, classical and Welch's, with eta² and omega²."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.noncentral import eta_squared_interval
from understudy.analyses.kernels.tails import UNKNOWN, Interval, p_from_f
from understudy.analyses.kernels.vectors import Floats, group_vectors, is_negligible


class OneWayAnova(NamedTuple):
    """A one-way test; with a single factor eta² and partial eta² are the same number.

    Without spread within groups, statistic, p-value and effect sizes are NaN. Welch's test has no omega² (NaN).
    """

    statistic: float
    df_between: float
    df_within: float
    p_value: float
    eta_squared: float
    eta_squared_interval: Interval
    omega_squared: float


def one_way_anova(groups: Sequence[npt.ArrayLike], *, level: float = 0.95) -> OneWayAnova:
    """Compare the means of two or more groups with one common variance.

    eta² = SSb / SSt; omega² = (SSb - dfb MSw) / (SSt + MSw), which may fall below 0 (Hays 1963). The
    interval of eta² pivots the noncentral F (Steiger 2004).

    Examples
    --------
    >>> test = one_way_anova([[1.0, 2, 3], [2.0, 3, 4], [5.0, 6, 7]])
    >>> round(test.statistic, 2), test.df_between, test.df_within, round(test.eta_squared, 3)
    (13.0, 2, 6, 0.812)
    """
    samples = group_vectors(groups, least=1)
    values = np.concatenate(samples)
    df_between, df_within = len(samples) - 1, values.size - len(samples)
    if df_within < 1:
        raise ValueError(f"{values.size} values in {len(samples)} groups leave no degrees of freedom within.")
    between = float(sum(x.size * (x.mean() - values.mean()) ** 2 for x in samples))
    within = float(sum(((x - x.mean()) ** 2).sum() for x in samples))
    if is_negligible((within / df_within) ** 0.5, float(np.abs(values).max())):
        return _unknown(df_between, df_within)
    mean_square = within / df_within
    f = between / df_between / mean_square
    eta_squared = between / (between + within)
    return OneWayAnova(
        statistic=f,
        df_between=df_between,
        df_within=df_within,
        p_value=p_from_f(f, (df_between, df_within)),
        eta_squared=eta_squared,
        eta_squared_interval=eta_squared_interval(f, (df_between, df_within), level=level, estimate=eta_squared),
        omega_squared=(between - df_between * mean_square) / (between + within + mean_square),
    )


def welch_anova(groups: Sequence[npt.ArrayLike]) -> OneWayAnova:
    """Compare the means of two or more groups, each with its own variance (Welch 1951).

    eta² = SSb / SSt is the share of variance between groups, as in the classical analysis. It has no interval here:
    Welch's F weighs groups by their precision, so F and its degrees of freedom say nothing about that share. For the same
    reason there is no omega²: what R's effectsize computes from F under that name is a share of variance after weighing,
    which can be .6 where SSb / SSt is .03. A group without spread has infinite weight, so the result is NaN.

    Examples
    --------
    >>> test = welch_anova([[1.0, 2, 3], [2.0, 3, 4], [5.0, 6, 9]])
    >>> round(test.statistic, 3), round(test.df_within, 2)
    (5.217, 3.78)
    """
    samples = group_vectors(groups, least=2)
    sizes = np.array([x.size for x in samples], dtype=np.float64)
    means = np.array([x.mean() for x in samples])
    variances = np.array([x.var(ddof=1) for x in samples])
    df1 = len(samples) - 1
    if any(is_negligible(float(s**0.5), float(np.abs(m))) for s, m in zip(variances, means, strict=True)):
        return _unknown(df1, float("nan"))
    weights = sizes / variances
    # Welch (1951): groups are weighted by the precision of their means.
    shares = weights / weights.sum()
    spread = float(((1 - shares) ** 2 / (sizes - 1)).sum()) / (df1 * (df1 + 2))
    f = float((weights * (means - shares @ means) ** 2).sum()) / df1 / (1 + 2 * (df1 - 1) * spread)
    df2 = 1 / (3 * spread)
    return OneWayAnova(
        statistic=f,
        df_between=df1,
        df_within=df2,
        p_value=p_from_f(f, (df1, df2)),
        eta_squared=_share_between(samples),
        eta_squared_interval=UNKNOWN,
        omega_squared=float("nan"),
    )


def _share_between(samples: Sequence[Floats]) -> float:
    values = np.concatenate(samples)
    between = sum(x.size * (x.mean() - values.mean()) ** 2 for x in samples)
    return float(between / ((values - values.mean()) ** 2).sum())


def _unknown(df_between: float, df_within: float) -> OneWayAnova:
    nan = float("nan")
    return OneWayAnova(nan, df_between, df_within, nan, nan, Interval(nan, nan), nan)
