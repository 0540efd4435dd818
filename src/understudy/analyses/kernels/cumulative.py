"""Likelihood of ordered answers with a logistic (cumulative) link; yes and no are the case of two categories.

P(answer ≤ j) = F(τ_j - η). Since F(a) - F(b) = F(a) (1 - F(b)) (1 - exp(b - a)), and a - b does not depend on η, the
log-likelihood of a row is a sum of two logistic ones and a gap: every derivative is as simple as in a logistic model.
"""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.vectors import Floats, Ints
from understudy.deferred.scipy import special


class Rows(NamedTuple):
    """The log-likelihood of all rows together, and derivatives by each row's predictor η."""

    total: float
    slope: Floats
    weight: Floats
    """Minus the second derivative."""
    turn: Floats
    """The derivative of the weight."""


class ByGap(NamedTuple):
    """Derivatives by the logarithms of the gaps between thresholds: of the total, the slopes and the weights."""

    total: Floats
    slope: Floats
    weight: Floats


def thresholds(log_gaps: Floats) -> Floats:
    """Return the thresholds between categories: the first is 0, since the intercept holds its place.

    >>> thresholds(np.array([0.0, np.log(2)]))
    array([0., 1., 3.])
    """
    return np.concatenate([[0.0], np.cumsum(np.exp(log_gaps))])


def row_terms(categories: Ints, eta: Floats, log_gaps: Floats) -> Rows:
    """Return the log-likelihood of categories 0, 1, … at η and its derivatives."""
    if not log_gaps.size and categories.max() < 2:
        # Yes and no need no thresholds, and are by far the most frequent case: one exponential of what is never positive,
        # so that it cannot overflow, gives everything.
        rare = np.exp(-np.abs(eta))
        whole = 1 + rare
        share = np.where(eta < 0, rare, 1.0) / whole
        total = float(np.minimum(np.where(categories > 0, eta, -eta), 0.0).sum() - np.log(whole).sum())
        weight = rare / whole**2
        return Rows(total, categories - share, weight, weight * (1 - 2 * share))
    above, below = _sides(categories, eta, log_gaps)
    high, low = special.expit(above), special.expit(below)
    with np.errstate(invalid="ignore"):
        gaps = np.where(np.isfinite(above) & np.isfinite(below), above - below, np.inf)
    # Thresholds that fall together make an answer between them impossible: its likelihood is zero, and the search goes back.
    with np.errstate(divide="ignore"):
        fit = special.log_expit(above) + special.log_expit(-below) + np.log1p(-np.exp(-gaps))
    upper, lower = high * (1 - high), low * (1 - low)
    turn = -upper * (1 - 2 * high) - lower * (1 - 2 * low)
    return Rows(float(fit.sum()), high + low - 1, upper + lower, turn)


def gap_terms(categories: Ints, eta: Floats, log_gaps: Floats) -> ByGap:
    """Return the derivatives by the logarithm of each gap."""
    above, below = _sides(categories, eta, log_gaps)
    high, low = special.expit(above), special.expit(below)
    gaps = np.exp(log_gaps)
    # Threshold j moves with every gap up to it.
    moves = np.vstack([np.zeros(gaps.size), np.tril(np.tile(gaps, (gaps.size, 1)))])
    ends = np.zeros((1, gaps.size))
    by_upper, by_lower = np.vstack([moves, ends])[categories], np.vstack([ends, moves])[categories]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        is_inner = np.isfinite(above) & np.isfinite(below)
        narrow = np.where(is_inner, 1 / np.expm1(np.where(is_inner, above - below, 1.0)), 0.0)
    total = by_upper.T @ (1 - high + narrow) + by_lower.T @ (-low - narrow)
    upper, lower = high * (1 - high), low * (1 - low)
    slope = by_upper * upper[:, None] + by_lower * lower[:, None]
    weight = by_upper * (upper * (1 - 2 * high))[:, None] + by_lower * (lower * (1 - 2 * low))[:, None]
    return ByGap(total, slope, weight)


def _sides(categories: Ints, eta: Floats, log_gaps: Floats) -> tuple[Floats, Floats]:
    ends = np.concatenate([[-np.inf], thresholds(log_gaps), [np.inf]])
    return ends[categories + 1] - eta, ends[categories] - eta
