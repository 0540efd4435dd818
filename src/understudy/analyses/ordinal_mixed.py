"""Ordinal mixed model: effects on ratings without treating them as numbers (a cumulative link model)."""

from dataclasses import replace
from typing import ClassVar

from understudy.analyses.category_model import CategoryModel
from understudy.analyses.rows import numbers
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Scale

_RATINGS: frozenset[Scale] = frozenset({"ordinal", "bounded", "count"})
_MOST_RATINGS = 21
"""More categories than this are a continuous scale, and each would need a threshold of its own."""


@register("analyses", "ordinal_mixed")
class OrdinalMixed(CategoryModel):
    """Compares ratings between levels in a cumulative logit model with crossed random effects of people and items."""

    estimand: ClassVar[str] = "the odds ratio of a higher rating for one person and one item (conditional on them)"

    @property
    def fit(self) -> Fit:
        """Return the fit: ratings, and a factor whose levels are compared."""
        return replace(self.fit_for(_RATINGS), factor="any")

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return how the odds of a higher rating differ between levels: a log odds ratio with its test."""
        n_ratings = len(set(numbers(table)))
        if n_ratings > _MOST_RATINGS:
            raise ValueError(
                f"The values contain {n_ratings} different numbers; an ordinal model takes up to {_MOST_RATINGS} ratings. "
                "Use linear_mixed."
            )
        return super().estimate(table, hypothesis, rng)
