"""Single trials of two levels compared with cluster-robust errors, for numbers and for yes and no."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.cluster_robust import cluster_robust
from understudy.analyses.level_design import level_design, refuse_lone_people, values_by_level
from understudy.analyses.results import (
    alternative_of,
    difference_name,
    finite,
    finite_df,
    notes_of,
    plain_summary,
    spread_note,
)
from understudy.analyses.rows import n_participants, numbers, text, two_levels
from understudy.analyses.scales import NUMBERS, YES_NO
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

_FEW_CLUSTERS = 30


@register("analyses", "cluster_robust")
class ClusterRobust(Record):
    """Compares the means or shares of two levels over single trials, with errors that allow for repeated people."""

    estimand: ClassVar[str] = "the difference of means or shares over trials, for the average person weighted by trials"
    clusters: tuple[Literal["participant", "item"], ...] = ("participant",)
    """What rows have in common: the participant, or the participant and the item."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials, with items if they are clusters."""
        of_trials = Fit(NUMBERS | YES_NO, unit="trial", factor="any", n_levels="two")
        return replace(of_trials, needs=frozenset({"item"})) if "item" in self.clusters else of_trials

    @property
    def samples_items(self) -> bool:
        """Tell whether errors allow for repeated items."""
        return "item" in self.clusters

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the difference over all trials, first level minus second, with its interval and t test."""
        levels, design = two_levels(table, hypothesis), level_design(table, hypothesis)
        refuse_lone_people(design, hypothesis.factor)
        values = numbers(design.rows)
        test = cluster_robust(
            values,
            design.predictors,
            tuple(pd.factorize(text(design.rows, name))[0].astype(np.int64) for name in self.clusters),
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        n_clusters = int(test.df) + 1
        few = (
            f"The error rests on {n_clusters} clusters; below about {_FEW_CLUSTERS} it is too small. A mixed model with "
            "random effects of people and items keeps the alpha."
            if n_clusters < _FEW_CLUSTERS
            else ""
        )
        estimate = effect_estimate(
            test.estimate, test, name=difference_name(levels), statistic="t", level=self.confidence
        )
        by_level = values_by_level(design, values, hypothesis.factor)
        return estimate.model_copy(
            update={
                "df": finite_df(test.df),
                "n_sessions": n_participants(design.rows),
                "n_rows": len(design.rows),
                "groups": tuple(plain_summary(level, by_level[level]) for level in levels),
                "details": {"standard_error": finite(test.standard_error), "n_clusters": float(n_clusters)},
                "notes": notes_of(spread_note(test.p_value), few),
            }
        )
