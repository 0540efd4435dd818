"""Correlations and agreement of two outcomes, of people and of single answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from understudy.analyses.results import (
    NUMBERS,
    RANKED,
    alternative_of,
    effect_estimate,
    finite,
    finite_df,
    limits,
    notes_of,
    summaries_of,
)
from understudy.analyses.rows import n_participants, numbers, refuse_repeats, text
from understudy.deferred.pandas import pd
from understudy.deferred.scipy import stats
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale
from understudy.statistics.agreement import KappaWeights, agreement_table, cohen_kappa
from understudy.statistics.correlation import (
    Correlation,
    level_means,
    pearson,
    resampled_correlations,
    resampled_level_correlations,
    spearman,
)
from understudy.statistics.distributions import Interval as Limits
from understudy.statistics.distributions import p_from_t, t_quantile

_LABELS: frozenset[Scale] = frozenset({"binary", "nominal", "ordinal"})


class _Correlated(Record):
    effect_name: ClassVar[str]
    test_of: ClassVar[Callable[..., Correlation]]
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the correlation with its interval and t test."""
        # Repeated rows of a person would count as independent people.
        refuse_repeats(table, ["participant"])
        first, second = numbers(table), numbers(table, "other")
        alternative = alternative_of(hypothesis.direction)
        test = type(self).test_of(first, second, alternative=alternative, level=self.confidence)
        unknown = "No test: one of the two does not vary." if math.isnan(test.r) else ""
        perfect = "The association is perfect, so t has no finite value." if abs(test.r) >= 1 else ""
        estimate = effect_estimate(test.r, test, name=self.effect_name, statistic="t", level=self.confidence)
        return estimate.model_copy(
            update={
                "df": finite_df(test.df),
                "n_sessions": test.n,
                "n_rows": test.n,
                "groups": summaries_of({"outcome": first, "other": second}, self.confidence),
                "notes": notes_of(unknown, perfect),
            }
        )


@register("analyses", "pearson")
class Pearson(_Correlated):
    """Estimates the linear association of two numbers per participant."""

    estimand: ClassVar[str] = "the linear correlation over people"
    fit: ClassVar[Fit] = Fit(NUMBERS, needs=frozenset({"other"}))
    effect_name: ClassVar[str] = "Pearson's r"
    test_of: ClassVar[Callable[..., Correlation]] = pearson


@register("analyses", "spearman")
class Spearman(_Correlated):
    """Estimates the monotone association of two numbers per participant, by their ranks."""

    estimand: ClassVar[str] = "the monotone correlation over people (of ranks)"
    fit: ClassVar[Fit] = Fit(RANKED, needs=frozenset({"other"}))
    effect_name: ClassVar[str] = "Spearman's rho"
    test_of: ClassVar[Callable[..., Correlation]] = spearman


@register("analyses", "kappa")
class Kappa(Record):
    """Estimates how far two labels of the same thing agree beyond chance."""

    estimand: ClassVar[str] = "agreement of two labels beyond chance"
    weights: KappaWeights = "unweighted"
    """How much a near miss counts: not at all, or by its distance or squared distance."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit; weighted kappa needs ordered labels."""
        scales = _LABELS if self.weights == "unweighted" else _LABELS - {"nominal"}
        return Fit(scales, unit="either", needs=frozenset({"other"}))

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return kappa with its interval and the z test of no agreement beyond chance."""
        test = cohen_kappa(
            self._table(table),
            weights=self.weights,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        n_people = n_participants(table)
        single = ""
        if math.isnan(test.kappa):
            single = "No test: both outcomes have one and the same label throughout."
        elif math.isnan(test.p_value):
            single = "No test: an outcome with a single label always agrees as often as by chance."
        repeated = f"{len(table)} rows of {n_people} participants are taken as independent."
        estimate = effect_estimate(test.kappa, test, name="Cohen's kappa", statistic="z", level=self.confidence)
        agreement = float(np.mean(np.equal(*_labels(table))))
        return estimate.model_copy(
            update={
                "n_sessions": n_people,
                "n_rows": test.n,
                "details": {"standard_error": finite(test.standard_error), "agreement": agreement},
                "notes": notes_of(single, repeated if len(table) > n_people else ""),
            }
        )

    def _table(self, table: Table) -> Floats:
        if self.weights == "unweighted":
            return agreement_table(*_labels(table))
        first, second = numbers(table), numbers(table, "other")
        used = np.concatenate([first, second])
        if not (used == np.round(used)).all():
            raise ValueError("Weighted kappa counts steps between labels; the values must be whole numbers.")
        # A label between two others counts as a step even if nobody used it.
        steps = np.arange(used.min(), used.max() + 1)
        counts = pd.crosstab(first, second).reindex(index=steps, columns=steps, fill_value=0)
        return counts.to_numpy(dtype=np.float64)


def _labels(table: Table) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return both labels as numbers if both are numeric, so that 1 equals 1.0; otherwise as text."""
    columns = table["value"], table["other"]
    if all(pd.api.types.is_numeric_dtype(column) for column in columns):
        return numbers(table), numbers(table, "other")
    return text(table, "value").to_numpy(dtype=object), text(table, "other").to_numpy(dtype=object)


# Clustered correlation: the association of two numbers of single answers, with an interval over people.

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
