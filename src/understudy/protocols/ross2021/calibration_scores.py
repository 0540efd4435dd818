"""How like people a strategy is: the distance of its completion rates, their order, and intervals over seeds."""

from collections.abc import Sequence

import numpy as np

from understudy.deferred.scipy import stats
from understudy.protocols.ross2021.calibration_rows import MODELS_OF, PUBLISHED, Interval, Likeness
from understudy.roles import Floats

N_RESAMPLED = 2000
N_REPEATED = 500
N_PEOPLE = 15
"""Published people with each model."""


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean and the 95 % t interval; with one value, the interval is that value.

    >>> mean_interval([0.5, 0.5])
    Interval(estimate=0.5, low=0.5, high=0.5)
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, mean, mean)
    half = float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - half, mean + half)


def likeness(strategy: str, data: str, rates: Sequence[Sequence[float]], people: Sequence[float]) -> Likeness:
    """Compare completion rates by seed and model with those of people; intervals resample the seeds.

    The distance is that of the rates over all seeds: within one seed, few questions would make any strategy look
    further away than it is.
    """
    table, published = np.asarray(rates, dtype=np.float64), np.asarray(people, dtype=np.float64)
    gap = _gap(table.mean(axis=0)[None], published)[0]
    gaps = np.quantile(_gap(_resampled_means(table), published), [0.025, 0.975])
    rank = rank_interval(table, published)
    order = np.argsort(-published)
    in_order = int((np.diff(table[:, order], axis=1) < 0).all(axis=1).sum())
    return Likeness(
        strategy=strategy, data=data, gap=gap, gap_low=float(gaps[0]), gap_high=float(gaps[1]), rank=rank.estimate,
        rank_low=rank.low, rank_high=rank.high, n_ordered=in_order, n_seeds=len(table),
        seed_rank=mean_interval([rank_correlation(row, published) for row in table]).estimate,
    )  # fmt: skip


def rank_interval(values: Sequence[Sequence[float]] | Floats, people: Sequence[float] | Floats) -> Interval:
    """Return the rank correlation of the models' means over seeds with those of people; the interval resamples seeds."""
    table, published = np.asarray(values, dtype=np.float64), np.asarray(people, dtype=np.float64)
    ranks = [rank_correlation(row, published) for row in _resampled_means(table)]
    low, high = np.quantile(ranks, [0.025, 0.975])
    return Interval(rank_correlation(table.mean(axis=0), published), float(low), float(high))


def repeated_rank(data: str) -> Interval:
    """Return the rank correlation that people would have with themselves: the study again, with as many other people.

    Their means are drawn around the published ones, with the published standard deviations. No strategy can be expected to
    follow the published order more closely than that. The first number is the median.
    """
    held = [PUBLISHED[data][model] for model in MODELS_OF[data]]
    means = np.array([scores.completion for scores in held])
    errors = np.array([scores.completion_sd for scores in held]) / np.sqrt(N_PEOPLE)
    drawn = np.random.default_rng(0).normal(means, errors, size=(N_REPEATED, len(means)))
    ranks = [rank_correlation(row, means) for row in drawn]
    low, middle, high = np.quantile(ranks, [0.025, 0.5, 0.975])
    return Interval(float(middle), float(low), float(high))


def _resampled_means(table: Floats) -> Floats:
    draws = np.random.default_rng(0).integers(len(table), size=(N_RESAMPLED, len(table)))
    means: Floats = table[draws].mean(axis=1)
    return means


def rank_correlation(rates: Floats, people: Floats) -> float:
    """Return Kendall's tau-b of two rows of rates; 0 if all rates are the same, which orders nothing."""
    if np.ptp(rates) == 0:
        return 0.0
    return float(stats.kendalltau(rates, people).statistic)


def _gap(rates: Floats, people: Floats) -> list[float]:
    gaps: list[float] = np.abs(rates - people).mean(axis=1).tolist()
    return gaps
