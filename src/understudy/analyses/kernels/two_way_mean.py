"""Mean of a table of runs by items, where both are random samples."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Interval, p_from_t, t_quantile, wald_interval
from understudy.analyses.kernels.vectors import is_negligible, matrix


class TwoWayMean(NamedTuple):
    """A mean with the error due to both runs and items, and its t test against 0.

    `run_sd` and `item_sd` are the estimated standard deviations of the effects of runs and items, 0 if the
    estimate is negative. Without spread, statistic, p-value and interval are NaN.
    """

    estimate: float
    standard_error: float
    df: float
    statistic: float
    p_value: float
    interval: Interval
    run_sd: float
    item_sd: float


def two_way_mean(table: npt.ArrayLike, *, level: float = 0.95) -> TwoWayMean:
    """Test the mean of runs x items against 0, with both random.

    Notes
    -----
    With x = mu + run + item + rest, the mean of R x I cells has variance (MS_run + MS_item - MS_rest) / (R I),
    estimated without bias by the mean squares; its degrees of freedom are those of Satterthwaite (1946). A
    variance estimated below 0 is set to 0, so the error is never less than that of runs alone or of
    items alone. In simulations with 30 and 200 items and runs that differ little or much, a 5 % test errs in 1 to 6 % of
    cases with five runs or more, in up to 7 % with three and up to 10 % with two.

    Examples
    --------
    >>> result = two_way_mean([[0.2, 0.1, 0.4], [0.1, 0.2, 0.5], [0.3, 0.3, 0.2]])
    >>> round(result.estimate, 4), round(result.standard_error, 4), round(result.df, 2), round(result.p_value, 4)
    (0.2556, 0.0556, 1.55, 0.0697)
    """
    x = matrix(table, "table", least=(2, 2))
    n_runs, n_items = x.shape
    mean = float(x.mean())
    of_run, of_item = x.mean(axis=1) - mean, x.mean(axis=0) - mean
    ms_run = n_items * float(of_run @ of_run) / (n_runs - 1)
    ms_item = n_runs * float(of_item @ of_item) / (n_items - 1)
    rest = x - mean - of_run[:, None] - of_item[None, :]
    ms_rest = float((rest * rest).sum()) / ((n_runs - 1) * (n_items - 1))
    sds = [max(0.0, ms - ms_rest) ** 0.5 / n**0.5 for ms, n in ((ms_run, n_items), (ms_item, n_runs))]
    error, df = _error(ms_run, ms_item, ms_rest, x.shape)
    if is_negligible(error, float(np.abs(x).max())):
        return TwoWayMean(mean, error, df, float("nan"), float("nan"), UNKNOWN, sds[0], sds[1])
    t = mean / error
    interval = wald_interval(mean, t_quantile(df, level) * error)
    return TwoWayMean(mean, error, df, t, p_from_t(t, df), interval, sds[0], sds[1])


def _error(ms_run: float, ms_item: float, ms_rest: float, shape: tuple[int, ...]) -> tuple[float, float]:
    n_runs, n_items = shape
    # A negative variance estimate is set to zero, which leaves the larger single mean square.
    total = max(ms_run + ms_item - ms_rest, ms_run, ms_item)
    error = (total / (n_runs * n_items)) ** 0.5
    if ms_item <= ms_rest:
        return error, n_runs - 1
    parts = ms_run**2 / (n_runs - 1) + ms_item**2 / (n_items - 1) + ms_rest**2 / ((n_runs - 1) * (n_items - 1))
    return error, max(total**2 / parts, 1.0)
