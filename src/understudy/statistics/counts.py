"""Counts: rate ratios, tables of two by two, and pairs of answers."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import optimize, special, stats
from understudy.statistics.arrays import Floats, pairs, vector
from understudy.statistics.distributions import (
    UNKNOWN,
    Alternative,
    EffectTest,
    Interval,
    check_level,
    p_from_t,
    p_from_z,
    t_quantile,
    wald_interval,
    z_quantile,
)

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


# Tests of tables of counts: Pearson's χ² with Cramér's V, and Fisher's exact test with its odds ratio.


class ChiSquare(NamedTuple):
    """Pearson's test of independence; NaN where a row or column is empty."""

    statistic: float
    df: int
    p_value: float
    cramers_v: float
    smallest_expected: float


class Fisher(NamedTuple):
    """Fisher's exact test of a 2 × 2 table; the odds ratio is the conditional maximum-likelihood estimate, as in R."""

    p_value: float
    odds_ratio: float
    interval: Interval


def chi_square(counts: npt.ArrayLike, *, continuity: bool = False) -> ChiSquare:
    """Test whether the rows of a table of counts have the same shares, as R's `chisq.test(correct = continuity)`.

    Examples
    --------
    >>> test = chi_square([[12, 5, 7], [7, 9, 7]])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4), round(test.cramers_v, 4)
    (2.4385, 2, 0.2955, 0.2278)
    """
    table: Floats = np.asarray(counts, dtype=np.float64)
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    if df < 1 or (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
        nan = float("nan")
        return ChiSquare(nan, df, nan, nan, nan)
    test = stats.chi2_contingency(table, correction=continuity)
    # V has no continuity correction: it describes the table, not the test.
    plain = stats.chi2_contingency(table, correction=False).statistic
    v = float((plain / (table.sum() * (min(table.shape) - 1))) ** 0.5)
    return ChiSquare(float(test.statistic), df, float(test.pvalue), v, float(test.expected_freq.min()))


def fisher_exact(counts: npt.ArrayLike, *, alternative: Alternative = "two-sided", level: float = 0.95) -> Fisher:
    """Test a 2 × 2 table by the hypergeometric distribution, as R's `fisher.test`.

    Examples
    --------
    >>> test = fisher_exact([[8, 2], [1, 5]])
    >>> round(test.p_value, 4), round(test.odds_ratio, 3), round(test.interval.low, 3)
    (0.035, 15.466, 1.009)
    """
    table = np.asarray(counts, dtype=np.int64)
    p_value = float(stats.fisher_exact(table, alternative=alternative).pvalue)
    ratio = stats.contingency.odds_ratio(table, kind="conditional")
    low, high = ratio.confidence_interval(confidence_level=level)
    return Fisher(p_value, float(ratio.statistic), Interval(float(low), float(high)))


# Exact McNemar test of two paired yes/no answers, and the difference of paired shares.


class McNemar(NamedTuple):
    """An exact McNemar test: `b` pairs are yes-no and `c` are no-yes.

    `odds_ratio` = b / c; it is infinite for c = 0 and NaN without discordant pairs, when p is 1.
    """

    b: int
    c: int
    p_value: float
    odds_ratio: float
    odds_ratio_interval: Interval


class PairedProportions(NamedTuple):
    """Two paired shares and their difference first - second."""

    n: int
    first: float
    second: float
    difference: float
    interval: Interval


def mcnemar_exact(b: int, c: int, *, alternative: Alternative = "two-sided", level: float = 0.95) -> McNemar:
    """Test whether yes-no pairs are as frequent as no-yes pairs, given the number of discordant pairs.

    The p-value is R's `binom.test(b, b + c)`; "greater" means that b outweighs c. Limits of the odds
    ratio are Clopper & Pearson's (1934) limits of b / (b + c), as odds.

    Examples
    --------
    >>> test = mcnemar_exact(22, 4)
    >>> round(test.p_value, 6), test.odds_ratio, round(test.odds_ratio_interval.low, 3)
    (0.000534, 5.5, 1.868)
    """
    if b < 0 or c < 0:
        raise ValueError(f"The discordant counts are {b} and {c}; counts cannot be negative.")
    if b + c == 0:
        return McNemar(b, c, 1.0, float("nan"), Interval(0.0, np.inf))
    result = stats.binomtest(b, b + c, 0.5, alternative=alternative)
    share = stats.binomtest(b, b + c).proportion_ci(check_level(level), method="exact")
    limits = Interval(_odds(float(share.low)), _odds(float(share.high)))
    return McNemar(b, c, float(result.pvalue), b / c if c else np.inf, limits)


def paired_proportions(
    table: npt.ArrayLike, *, method: Literal["newcombe", "wald"] = "newcombe", level: float = 0.95
) -> PairedProportions:
    """Compare two paired shares from counts [[yes-yes, yes-no], [no-yes, no-no]].

    "newcombe" is method 10 of Newcombe (1998): Wilson limits of both shares, combined through their
    correlation. "wald" is the simple large-sample interval.

    Examples
    --------
    >>> result = paired_proportions([[15, 22], [4, 2]])
    >>> round(result.difference, 3), round(result.interval.low, 3), round(result.interval.high, 3)
    (0.419, 0.203, 0.586)
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape != (2, 2) or (counts < 0).any() or counts.sum() < 1:
        raise ValueError("table must be two rows of two counts, not negative, with at least one pair.")
    n = int(counts.sum())
    first, second = float(counts[0].sum()) / n, float(counts[:, 0].sum()) / n
    difference = float(counts[0, 1] - counts[1, 0]) / n
    if method == "wald":
        # The variance of a paired difference depends on the discordant pairs only.
        spread = float(counts[0, 1] + counts[1, 0]) / n - difference**2
        interval = wald_interval(difference, z_quantile(level) * (spread / n) ** 0.5)
    elif method == "newcombe":
        interval = _newcombe(counts, difference, level)
    else:
        raise ValueError(f"method is {method!r}; it must be 'newcombe' or 'wald'.")
    return PairedProportions(n, first, second, difference, interval)


def _odds(share: float) -> float:
    return np.inf if share >= 1 else share / (1 - share)


def _newcombe(counts: npt.NDArray[np.float64], difference: float, level: float) -> Interval:
    n = int(counts.sum())
    yes = (int(counts[0].sum()), int(counts[:, 0].sum()))
    first, second = (stats.binomtest(k, n).proportion_ci(level, method="wilson") for k in yes)
    margins = float(np.prod(counts.sum(axis=0)) * np.prod(counts.sum(axis=1)))
    cross = float(counts[0, 0] * counts[1, 1] - counts[0, 1] * counts[1, 0])
    # Newcombe's continuity correction of the correlation, for a positive one only.
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    phi = cross / margins**0.5 if margins > 0 else 0.0
    p, q = yes[0] / n, yes[1] / n
    down, up = p - first.low, second.high - q
    low = (down**2 - 2 * phi * down * up + up**2) ** 0.5
    down, up = q - second.low, first.high - p
    high = (down**2 - 2 * phi * down * up + up**2) ** 0.5
    return Interval(float(difference - low), float(difference + high))


# Rates over all cases of all people, with errors that allow for people who differ.


class PooledRate(NamedTuple):
    """Events per case, with the linearized error of a ratio; NaN without a case."""

    estimate: float
    standard_error: float
    n_people: int
    n_cases: float


def pooled_rate(events: npt.ArrayLike, cases: npt.ArrayLike) -> PooledRate:
    """Return Σ events / Σ cases of people, with the error of a ratio estimator (Cochran 1977, section 6.3).

    People without a case count for nothing, which a mean of people's own rates could not say.

    Examples
    --------
    >>> found = pooled_rate([1, 2, 0, 3], [2, 4, 1, 3])
    >>> round(found.estimate, 3), round(found.standard_error, 4)
    (0.6, 0.1633)
    """
    happened, possible = pairs(events, cases, least=1)
    n, total = happened.size, float(possible.sum())
    if total == 0:
        return PooledRate(float("nan"), float("nan"), n, 0.0)
    rate = float(happened.sum()) / total
    residual = (happened - rate * possible) / total
    error = float(np.sqrt(n / (n - 1) * (residual**2).sum())) if n > 1 else float("nan")
    return PooledRate(rate, error, n, total)


def rate_difference(
    first: PooledRate, second: PooledRate | None, *, alternative: Alternative = "two-sided", level: float = 0.95
) -> EffectTest:
    """Compare the rates of two groups of people with Welch's degrees of freedom, or give one rate its interval."""
    estimate = first.estimate - (second.estimate if second else 0.0)
    parts = [(rate.standard_error**2, rate.n_people - 1) for rate in (first, second) if rate is not None]
    variance = sum(part for part, _ in parts)
    nan = float("nan")
    if not variance > 0:
        return EffectTest(estimate, nan, nan, nan, nan, UNKNOWN)
    df = variance**2 / sum(part**2 / n for part, n in parts)
    error = variance**0.5
    interval = wald_interval(estimate, t_quantile(df, level) * error)
    return EffectTest(estimate, error, estimate / error, df, p_from_t(estimate / error, df, alternative), interval)
