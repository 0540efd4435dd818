"""Standard error of a mean over people and items that are both samples, and resamples rescaled to it.

Resampling people and items together counts the noise of single answers three times (Owen 2007), and resampling people
alone ignores that items vary. The mean of crossed people and items has variance σ²_p / n + σ²_i / m + σ²_e / nm: sums
of squares over people and over items contain σ²_e once each, so V_people + V_items - V_answers removes the excess
(Cameron, Gelbach & Miller 2011).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import special


class CrossedSpread(NamedTuple):
    """The standard error of a mean (difference), its degrees of freedom and the three variances behind it."""

    standard_error: float
    df: float
    people: float
    items: float
    answers: float


class _Part(NamedTuple):
    """The contribution of one group of people: its variances, and the influence of each item on its mean."""

    people: float
    people_df: int
    answers: float
    answers_df: int
    influences: Floats


def crossed_spread(groups: Sequence[npt.ArrayLike]) -> CrossedSpread:
    """Return the spread of a participants × items matrix's mean, or of the first mean minus the second.

    Column j is the same item in both groups; NaN marks a missing answer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = rng.normal(0, 1, (20, 1)) + rng.normal(0, 1, (1, 30)) + rng.normal(0, 1, (20, 30))
    >>> spread = crossed_spread([table])
    >>> bool(0.15 < spread.standard_error < 0.45), bool(spread.df > 15)  # the true one is 0.29
    (True, True)
    """
    parts = [_part(np.asarray(group, dtype=np.float64), sign) for group, sign in zip(groups, (1.0, -1.0), strict=False)]
    influences = np.sum([part.influences for part in parts], axis=0)
    n_items = int(np.count_nonzero(np.any([~np.isnan(np.asarray(group)).all(axis=0) for group in groups], axis=0)))
    people = sum(part.people for part in parts)
    answers = sum(part.answers for part in parts)
    items = float((influences**2).sum()) * n_items / (n_items - 1) if n_items > 1 else answers
    # A component below zero counts as zero: both kept give people + items - answers, one gives itself, none answers.
    terms = [(max(people - answers, 0.0) > 0, people, _pooled_df([(part.people, part.people_df) for part in parts])),
             (max(items - answers, 0.0) > 0, items, n_items - 1.0)]  # fmt: skip
    weight = 1.0 - sum(is_kept for is_kept, _, _ in terms)
    variance = weight * answers + sum(value for is_kept, value, _ in terms if is_kept)
    answers_df = _pooled_df([(part.answers, part.answers_df) for part in parts])
    # Satterthwaite's (1946) degrees of freedom of a sum of variances.
    denominator = (weight * answers) ** 2 / answers_df + sum(value**2 / df for is_kept, value, df in terms if is_kept)
    df = variance**2 / denominator if denominator > 0 else float("inf")
    return CrossedSpread(float(np.sqrt(variance)), float(df), people, items, answers)


def calibrated(resamples: Floats, estimate: float, spread: CrossedSpread) -> Floats:
    """Rescale two-way resamples to the spread of a crossed mean, with the tails of Student's t for few people.

    The order of resamples and the skew of their distribution are unchanged.
    """
    scale = float(resamples.std(ddof=1))
    if scale == 0 or spread.standard_error == 0:
        return resamples
    # Beyond eight standard deviations the normal tail is zero in double precision.
    z = np.clip((resamples - estimate) / scale, -8, 8)
    # Normal scores become t scores with the same tail area.
    t = np.asarray(special.stdtrit(spread.df, special.ndtr(z)), dtype=np.float64)
    return estimate + spread.standard_error * t


def _part(table: Floats, sign: float) -> _Part:
    is_present = ~np.isnan(table)
    answered = table[is_present.any(axis=1)]
    is_present = is_present[is_present.any(axis=1)]
    n_people, n = len(answered), int(is_present.sum())
    centred = np.where(is_present, answered - np.nanmean(answered), 0.0)
    rows, columns = is_present.sum(axis=1), is_present.sum(axis=0)
    row_means = centred.sum(axis=1) / rows
    column_means = np.divide(centred.sum(axis=0), columns, out=np.zeros(columns.size), where=columns > 0)
    residuals = np.where(is_present, centred - row_means[:, None] - column_means, 0.0)
    people = float(((centred.sum(axis=1) / n) ** 2).sum()) * n_people / (n_people - 1)
    df = n - n_people - int(np.count_nonzero(columns)) + 1
    # With a single item, or a single answer each, people's means contain all the noise.
    answers = float((residuals**2).sum()) / df / n if df > 0 else people
    return _Part(people, n_people - 1, answers, max(df, n_people - 1), sign * centred.sum(axis=0) / n)


def _pooled_df(parts: Sequence[tuple[float, int]]) -> float:
    """Return Welch's degrees of freedom of a sum of variances."""
    denominator = sum(value**2 / df for value, df in parts)
    return sum(value for value, _ in parts) ** 2 / denominator if denominator > 0 else float(sum(df for _, df in parts))
