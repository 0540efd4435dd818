"""Default Bayes factors: of a standardized mean difference, a proportion and a correlation against no effect.

Written here because neither scipy nor statsmodels has them. Priors and defaults are those of R's BayesFactor package.
"""

from collections.abc import Callable
from itertools import pairwise
from math import exp, log, log1p, pi
from typing import NamedTuple

import numpy as np

from understudy.deferred.scipy import integrate, special, stats
from understudy.statistics.distributions import Alternative, Interval

_TINY = 1e-300
LARGEST = 1e300
"""A Bayes factor that is reported as this is at least as large: numbers end soon after."""
_MOST_T = 1e15
"""A larger t counts as this: its spread is that of rounded numbers, and the density has no digits left there."""
_HIGHEST = 500.0
"""Posteriors whose logarithm rises above this are lowered to it, so that their integrals stay finite."""


class BayesFactor(NamedTuple):
    """The Bayes factor of an effect against none, with the posterior of the effect.

    `bf10` above 1 speaks for the effect, below 1 for none; a directed one is of an effect on that side only. `LARGEST` stands
    for anything larger.
    `median` and `interval` are of the undirected posterior.
    """

    bf10: float
    median: float
    interval: Interval


class _Posterior(NamedTuple):
    """Prior times the ratio of likelihoods over a grid of the parameter, from its smallest to its largest value.

    It is asked for thousands of times, so that priors are written out: scipy checks its arguments for ten times as long.
    """

    log_density: Callable[[float], float]
    edges: tuple[float, ...]
    """Ends of the integral, and points between that the integration must not miss, such as the peak."""
    lowered: float = 0.0
    """What is taken off the logarithm."""

    def density(self, value: float) -> float:
        return exp(self.log_density(value) - self.lowered)


def t_bayes_factor(
    t: float,
    df: float,
    n_effective: float,
    *,
    scale: float = 2**-0.5,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> BayesFactor:
    """Return the JZS Bayes factor of t: a Cauchy prior of this scale on the effect d (Rouder et al. 2009).

    Parameters
    ----------
    n_effective
        n for one sample or pairs, n1 n2 / (n1 + n2) for two groups.

    Examples
    --------
    >>> found = t_bayes_factor(2.5, 19, 20)
    >>> round(found.bf10, 4)
    2.7021
    """
    t = min(max(t, -_MOST_T), _MOST_T)
    root = n_effective**0.5
    null = float(stats.t.logpdf(t, df))

    def log_density(d: float) -> float:
        # The ratio of likelihoods, so that the integral of the density is the Bayes factor itself.
        return _log_noncentral_t(t, df, d * root) - null - log(pi * scale * (1 + (d / scale) ** 2))

    centre, width = t / root, (1 + t * t / (2 * df)) ** 0.5 / root
    far = max(50.0 * scale, abs(centre) + 60 * width)
    inner = [centre + step * width for step in (-12, -4, -1, 0, 1, 4, 12)]
    return _factor(_Posterior(log_density, _edges(-far, far, [0.0, *inner])), 0.0, alternative, level)


def proportion_bayes_factor(
    successes: int,
    n: int,
    *,
    null: float = 0.5,
    scale: float = 0.5,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> BayesFactor:
    """Return the Bayes factor of a proportion: a logistic prior of this scale on its log-odds, around those of `null`.

    Examples
    --------
    >>> round(proportion_bayes_factor(15, 20).bf10, 4)
    3.4979
    """
    if not 0 < null < 1:
        raise ValueError(f"The proportion is compared with {null:g}; give a value between 0 and 1.")
    at_null = special.logit(null)
    log_null = successes * np.log(null) + (n - successes) * np.log1p(-null)

    def log_density(log_odds: float) -> float:
        log_likelihood = successes * -np.logaddexp(0, -log_odds) + (n - successes) * -np.logaddexp(0, log_odds)
        # The logistic distribution is symmetric, and this half of it cannot overflow.
        away = abs(log_odds - at_null) / scale
        return float(log_likelihood - log_null - away - 2 * log1p(exp(-away)) - log(scale))

    share = (successes + 0.5) / (n + 1)
    centre, width = float(special.logit(share)), float((n * share * (1 - share)) ** -0.5)
    far = max(40 * scale, abs(centre - at_null) + 40 * width)
    inner = [centre + step * width for step in (-8, -3, 0, 3, 8)]
    posterior = _Posterior(log_density, _edges(at_null - far, at_null + far, [at_null, *inner]))
    found = _factor(posterior, at_null, alternative, level)
    shares = [float(special.expit(value)) for value in (found.median, *found.interval)]
    return BayesFactor(found.bf10, shares[0], Interval(shares[1], shares[2]))


def correlation_bayes_factor(
    r: float, n: int, *, scale: float = 1 / 3, alternative: Alternative = "two-sided", level: float = 0.95
) -> BayesFactor:
    """Return the Bayes factor of Pearson's r: a stretched beta(1/scale, 1/scale) prior (Ly, Verhagen & Wagenmakers 2016).

    Examples
    --------
    >>> round(correlation_bayes_factor(0.6, 20).bf10, 3)
    10.055
    """
    if abs(r) > 1 - 1e-9:
        raise ValueError(
            "One outcome follows from the other (a correlation of 1 or -1), so the Bayes factor is infinite."
        )
    shape = 1 / scale
    log_beta = special.betaln(shape, shape)
    at_null = float(np.log(special.hyp2f1(0.5, 0.5, n - 0.5, 0.5)))

    def log_density(rho: float) -> float:
        # The exact density of r (Hotelling 1953), up to what does not depend on rho.
        log_ratio = (n - 1) / 2 * np.log1p(-rho * rho) - (n - 1.5) * np.log1p(-rho * r)
        log_ratio += np.log(special.hyp2f1(0.5, 0.5, n - 0.5, (1 + rho * r) / 2)) - at_null
        log_prior = (shape - 1) * (log((1 + rho) / 2) + log((1 - rho) / 2)) - log_beta
        return float(log_ratio + log_prior - log(2))

    width = (1 - r * r) / n**0.5
    inner = [r + step * width for step in (-8, -3, 0, 3, 8)]
    return _factor(_Posterior(log_density, _edges(-1 + 1e-12, 1 - 1e-12, [0.0, *inner])), 0.0, alternative, level)


def _factor(posterior: _Posterior, null: float, alternative: Alternative, level: float) -> BayesFactor:
    edges = posterior.edges
    posterior = posterior._replace(lowered=max(0.0, max(map(posterior.log_density, edges)) - _HIGHEST))
    # With very many people the density itself is only good to about 1e-9, of which quad would warn.
    parts = [
        integrate.quad(posterior.density, low, high, epsabs=0, epsrel=1e-11, limit=200, full_output=True)[0]
        for low, high in pairwise(edges)
    ]
    # Summed on each side alone: the difference of two large sums would leave nothing of a small side.
    above = float(sum(part for part, low in zip(parts, edges[:-1], strict=True) if low >= null))
    below = float(sum(part for part, low in zip(parts, edges[:-1], strict=True) if low < null))
    total = above + below
    # A directed prior has all its mass on one side, twice as high as the undirected one there.
    mass = {"two-sided": total, "greater": 2 * above, "less": 2 * below}[alternative]
    is_finite = mass == 0 or log(mass) + posterior.lowered < log(LARGEST)
    bf10 = mass * exp(posterior.lowered) if is_finite else LARGEST
    tail = (1 - level) / 2
    median, low, high = (_quantile(posterior, parts, total, share) for share in (0.5, tail, 1 - tail))
    return BayesFactor(bf10, median, Interval(low, high))


def _quantile(posterior: _Posterior, parts: list[float], total: float, share: float) -> float:
    """Return the parameter below which this share of the posterior lies, from 400 trapezoids in the part that holds it."""
    below = np.concatenate([[0.0], np.cumsum(parts)])
    k = min(int(np.searchsorted(below, share * total, side="right")) - 1, len(parts) - 1)
    grid = np.linspace(posterior.edges[k], posterior.edges[k + 1], 401)
    heights = np.array([posterior.density(float(value)) for value in grid])
    mass = below[k] + integrate.cumulative_trapezoid(heights, grid, initial=0)
    return float(np.interp(share * total, mass, grid))


def _edges(low: float, high: float, inner: list[float]) -> tuple[float, ...]:
    return tuple(sorted({low, high, *(point for point in inner if low < point < high)}))


def _log_noncentral_t(t: float, df: float, noncentrality: float) -> float:
    """Return the log density of the noncentral t, as an integral over the chi distribution.

    scipy's density overflows with thousands of people and effects far from the data, which the integral needs.
    """
    log_integral = _log_moment(df, noncentrality * t / (df + t * t) ** 0.5)
    constant = -0.5 * np.log(np.pi * df) - special.gammaln(df / 2) - (df - 1) / 2 * np.log(2)
    tails = (df + 1) / 2 * np.log1p(t * t / df) + 0.5 * noncentrality**2 * df / (df + t * t)
    return float(constant - tails + log_integral)


def _log_moment(df: float, z: float) -> float:
    """Return log of the integral of x^df exp(-(x - z)^2 / 2) over x > 0."""
    root = (z * z + 4 * df) ** 0.5
    # Far below 0, z and the root are opposite numbers whose sum would be 0.
    mode = (z + root) / 2 if z >= 0 else 2 * df / (root - z)
    width = (1 + df / mode**2) ** -0.5
    nodes, weights = _LEGENDRE
    # 12 widths to each side of the mode hold all of the integral in double precision.
    low, high = max(mode - 12 * width, 0.0), mode + 12 * width
    x = low + (high - low) * (nodes + 1) / 2
    logs = df * np.log(np.maximum(x, _TINY)) - (x - z) ** 2 / 2
    peak = float(logs.max())
    return peak + float(np.log(np.sum(weights * np.exp(logs - peak)) * (high - low) / 2))


_LEGENDRE = np.polynomial.legendre.leggauss(80)
