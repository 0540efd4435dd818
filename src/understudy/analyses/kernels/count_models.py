"""Rate ratios of counts: Poisson, quasi-Poisson and negative binomial regression."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.tails import UNKNOWN, Alternative, Interval, p_from_t, p_from_z, t_quantile, z_quantile
from understudy.analyses.kernels.vectors import Floats, vector
from understudy.deferred.scipy import optimize, special, stats

CountFamily = Literal["negative_binomial", "quasi_poisson", "poisson"]


class RateRatio(NamedTuple):
    """The mean of one group divided by that of another, with the test of its logarithm; NaN where a mean is 0.

    `dispersion` is the variance divided by the mean for Poisson models, and 1/θ for the negative binomial one: the
    variance is mean + dispersion × mean².
    """

    ratio: float
    log_ratio: float
    standard_error: float
    statistic: float
    df: float
    p_value: float
    interval: Interval
    dispersion: float


def rate_ratio(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    family: CountFamily = "negative_binomial",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> RateRatio:
    """Compare the counts of two groups as R's `glm` and MASS's `glm.nb` do.

    Poisson takes the variance to be the mean. Quasi-Poisson estimates it from Pearson's χ² and uses t; the negative
    binomial model estimates θ by maximum likelihood (Venables & Ripley 2002) and uses z.

    Examples
    --------
    >>> found = rate_ratio([3, 5, 8, 4], [2, 1, 3, 2], family="poisson")
    >>> round(found.ratio, 3), round(found.statistic, 3), round(found.p_value, 4)
    (2.5, 2.19, 0.0285)
    """
    x, y = vector(first, "first"), vector(second, "second")
    counts = np.concatenate([x, y])
    if (counts < 0).any() or (counts != np.round(counts)).any():
        strange = counts[(counts < 0) | (counts != np.round(counts))][0]
        raise ValueError(f"The values contain {strange:g}; counts are whole numbers from 0.")
    nan = float("nan")
    if x.sum() == 0 or y.sum() == 0:
        return RateRatio(nan, nan, nan, nan, nan, nan, UNKNOWN, nan)
    dispersion, df = 1.0, nan
    if family == "negative_binomial":
        dispersion = _inverse_theta(x, y)
    # Without overdispersion the maximum is at 0, where the model is Poisson's.
    error = _error_of_log_ratio(x, y, dispersion if family == "negative_binomial" else 0.0)
    if family == "quasi_poisson":
        df = float(counts.size - 2)
        if df < 1:
            raise ValueError("Two people leave nothing to estimate the spread of counts from; at least 3 are needed.")
        dispersion = _pearson_chi2(x, y) / df
        error *= dispersion**0.5
    estimate = float(np.log(x.mean() / y.mean()))
    if not error > 0:
        return RateRatio(float(np.exp(estimate)), estimate, nan, nan, df, nan, UNKNOWN, dispersion)
    statistic = estimate / error
    uses_t = family == "quasi_poisson"
    p_value = p_from_t(statistic, df, alternative) if uses_t else p_from_z(statistic, alternative)
    margin = (t_quantile(df, level) if uses_t else z_quantile(level)) * error
    limits = Interval(float(np.exp(estimate - margin)), float(np.exp(estimate + margin)))
    return RateRatio(float(np.exp(estimate)), estimate, error, statistic, df, p_value, limits, dispersion)


def overdispersion_p(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the chance of a Pearson χ² as large as this if counts of both groups are Poisson."""
    groups = [vector(first, "first"), vector(second, "second")]
    used = [group for group in groups if group.sum() > 0]
    chi = _pearson_chi2(*used)
    df = sum(group.size for group in used) - len(used)
    return float(stats.chi2.sf(chi, df)) if df > 0 else float("nan")


def _error_of_log_ratio(first: Floats, second: Floats, dispersion: float) -> float:
    """Return the standard error of the log of two means, whose maximum likelihood estimates are the groups' own.

    A count with mean m and variance m + dispersion × m² tells m / (1 + dispersion × m) about the log of its mean.
    """
    told = [group.size * group.mean() / (1 + dispersion * group.mean()) for group in (first, second)]
    return float(np.sqrt(sum(1 / amount for amount in told)))


def _pearson_chi2(*groups: Floats) -> float:
    """Return the squared deviations from each group's mean, divided by that mean."""
    return sum(float(((group - group.mean()) ** 2).sum() / group.mean()) for group in groups)


def _inverse_theta(*groups: Floats) -> float:
    """Return 1/θ of groups with their own means, by maximum likelihood; 0 where the counts vary less than Poisson's."""

    def negative_log_likelihood(log_theta: float) -> float:
        theta = np.exp(log_theta)
        total = 0.0
        for counts in groups:
            mean = counts.mean()
            total += float(
                np.sum(
                    special.gammaln(counts + theta)
                    - special.gammaln(theta)
                    + theta * np.log(theta / (theta + mean))
                    + counts * np.log(mean / (theta + mean))
                )
            )
        return -total

    excess = sum(float(((counts - counts.mean()) ** 2 - counts).sum()) for counts in groups)
    # The likelihood rises towards Poisson's if the variance does not exceed the mean (Levin & Reeds 1977).
    if excess <= 0:
        return 0.0
    found = optimize.minimize_scalar(
        negative_log_likelihood, bounds=(-12.0, 18.0), method="bounded", options={"xatol": 1e-12}
    )
    return float(np.exp(-found.x))
