"""Associations and agreement of two outcomes: Pearson, Spearman and Cohen's kappa."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.correlation import Correlation, pearson, spearman
from understudy.analyses.kernels.kappa import KappaWeights, agreement_table, cohen_kappa
from understudy.analyses.results import alternative_of, finite, finite_df, notes_of, summaries_of
from understudy.analyses.rows import n_participants, numbers, refuse_repeats, text
from understudy.analyses.scales import NUMBERS, RANKED
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale

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
