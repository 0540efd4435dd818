"""Clustered correlation: the association of two numbers of single answers, with an interval over people."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.analyses.kernels.clustered_correlation import (
    level_means,
    resampled_correlations,
    resampled_level_correlations,
)
from understudy.analyses.kernels.correlation import pearson, spearman
from understudy.analyses.kernels.tails import Interval as Limits
from understudy.analyses.kernels.tails import p_from_t, t_quantile
from understudy.analyses.results import alternative_of, finite, finite_df, limits, notes_of
from understudy.analyses.rows import n_participants, numbers, text
from understudy.analyses.scales import NUMBERS, RANKED
from understudy.deferred.pandas import pd
from understudy.deferred.scipy import stats
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

_MOST = 1 - 1e-9
"""Resamples are taken as less than perfect, since Fisher's z of 1 is infinite."""


@register("analyses", "clustered_correlation")
class ClusteredCorrelation(Record):
    """Correlates single answers with what is known about each, and draws people as wholes for the interval.

    Kim et al. (2022) correlate ratings of similarity with the model's: by Pearson's r over ratings, and by Spearman's
    rho of the mean rating at each rank (`averaged`).
    """

    estimand: ClassVar[str] = "the correlation over single answers"
    method: Literal["pearson", "spearman"] = "pearson"
    averaged: bool = False
    """Correlates the values of the other outcome, such as ranks, with the mean answer at each, by Spearman's rho."""
    n_resamples: int = Field(default=2000, ge=100, le=100_000)
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single answers, and a second outcome of the same rows."""
        scales = NUMBERS if self.method == "pearson" and not self.averaged else RANKED
        return Fit(scales, unit="trial", needs=frozenset({"other"}))

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the coefficient, the interval over people, and a test: by people, or with `averaged` by values."""
        first, second = numbers(table), numbers(table, "other")
        people = pd.factorize(text(table, "participant"), sort=True)[0].astype(np.int64)
        if self.averaged:
            return self._of_levels(table, hypothesis, (first, second), rng)
        if self.method == "spearman":
            first, second = stats.rankdata(first), stats.rankdata(second)
        r = pearson(first, second, level=self.confidence).r
        name = "Pearson's r" if self.method == "pearson" else "Spearman's rho"
        if np.isnan(r):
            return _estimate(table, None, name).model_copy(
                update={"notes": ("No test: one of the two does not vary.",)}
            )
        drawn = resampled_correlations(first, second, people, rng=rng, n_resamples=self.n_resamples)
        return self._tested(_estimate(table, r, f"{name} of single answers"), drawn[np.isfinite(drawn)], hypothesis)

    def _tested(self, estimate: Estimate, drawn: Floats, hypothesis: Hypothesis) -> Estimate:
        """Add the interval and the test by the spread over resamples of people.

        Fisher's z and Student's t, because shares of resamples call chance a relation too often with few people.
        """
        n, r = estimate.n_sessions, estimate.effect or 0.0
        if n < 3 or drawn.size < 2 or abs(r) >= 1:
            note = "No test: it needs at least three people whose answers differ."
            return estimate.model_copy(update={"notes": (note,)})
        error = float(np.arctanh(np.clip(drawn, -_MOST, _MOST)).std(ddof=1)) * (n / (n - 1)) ** 0.5
        z, margin = float(np.arctanh(r)), t_quantile(n - 1, self.confidence) * error
        interval = Limits(float(np.tanh(z - margin)), float(np.tanh(z + margin)))
        return estimate.model_copy(
            update={
                "interval": limits(interval, self.confidence),
                "statistic": finite(z / error),
                "statistic_name": "t",
                "df": finite_df(n - 1),
                "p_value": finite(p_from_t(z / error, n - 1, alternative_of(hypothesis.direction))),
                "details": {"standard_error_of_z": error, "n_resamples": float(drawn.size)},
            }
        )

    def _of_levels(self, table: Table, hypothesis: Hypothesis, values: tuple[Floats, Floats], rng: Rng) -> Estimate:
        levels, means = level_means(*values)
        name = "Spearman's rho of the mean at each value"
        if levels.size < 3:
            note = f"No test: the other outcome has {levels.size} different values, and a correlation needs three."
            return _estimate(table, None, name).model_copy(update={"notes": (note,)})
        test = spearman(levels, means, alternative=alternative_of(hypothesis.direction), level=self.confidence)
        people = pd.factorize(text(table, "participant"), sort=True)[0].astype(np.int64)
        drawn = resampled_level_correlations(*values, people, rng=rng, n_resamples=self.n_resamples)
        drawn = drawn[np.isfinite(drawn)]
        tail = (1 - self.confidence) / 2
        known = drawn.size > 0 and not np.isnan(test.r)
        low, high = np.quantile(drawn, [tail, 1 - tail]) if known else (np.nan, np.nan)
        return _estimate(table, finite(test.r), name).model_copy(
            update={
                "interval": limits(Limits(float(low), float(high)), self.confidence) if known else None,
                "statistic": finite(test.statistic),
                "statistic_name": "t",
                "df": finite_df(test.df),
                "p_value": finite(test.p_value),
                "details": {f"mean_at_{level:g}": float(mean) for level, mean in zip(levels, means, strict=True)},
                "notes": notes_of("" if known else "No test: the means do not vary."),
            }
        )


def _estimate(table: Table, r: float | None, name: str) -> Estimate:
    return Estimate(effect=r, effect_name=name, null_value=0.0, n_sessions=n_participants(table), n_rows=len(table))
