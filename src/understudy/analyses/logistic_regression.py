"""Logistic regression of yes-or-no answers on a factor or on a second outcome."""

from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.kernels.logistic import fit_logistic
from understudy.analyses.kernels.wald import LogOddsModel
from understudy.analyses.level_design import LevelDesign, level_design
from understudy.analyses.log_odds import level_estimate, single_estimate
from understudy.analyses.results import finite, notes_of
from understudy.analyses.rows import n_participants, numbers
from understudy.analyses.scales import YES_NO
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "logistic_regression")
class LogisticRegression(Record):
    """Relates yes-or-no answers, taken as independent, to the levels of a factor or to a second outcome."""

    estimand: ClassVar[str] = "the odds ratio of yes over all answers"
    tests: Literal["factor", "other"] = "factor"
    """Which effect is tested: that of the factor, or of the outcome named in `other` (per unit)."""
    adjusts: bool = False
    """Whether the variable that is not tested is in the model too."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: a factor, a second outcome, or both if one adjusts for the other."""
        needs_other = self.tests == "other" or self.adjusts
        needs_factor = self.tests == "factor" or self.adjusts
        return Fit(
            YES_NO,
            unit="either",
            factor="any" if needs_factor else "none",
            needs=frozenset({"other"}) if needs_other else frozenset(),
        )

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return a log odds ratio with its z test, or all levels together with chi-square."""
        design = level_design(table, hypothesis)
        predictors = self._predictors(design, hypothesis)
        fitted = fit_logistic(numbers(design.rows), predictors)
        model = LogOddsModel(fitted.coefficients, fitted.covariance)
        if self.tests == "factor":
            estimate = level_estimate(model, design, hypothesis, level=self.confidence)
        else:
            last = np.eye(predictors.shape[1])[-1]
            name = f"log odds ratio per unit of {hypothesis.other or 'other'}"
            estimate = single_estimate(model, last, hypothesis, name=name, level=self.confidence)
        n_people, n_rows = n_participants(design.rows), len(design.rows)
        repeated = f"{n_rows} rows of {n_people} participants are taken as independent; logistic_mixed allows people to differ."
        return estimate.model_copy(
            update={
                "n_sessions": n_people,
                "n_rows": n_rows,
                "details": estimate.details | {"log_likelihood": finite(fitted.log_likelihood)},
                "notes": notes_of(estimate.notes, repeated if n_rows > n_people else ""),
            }
        )

    def _predictors(self, design: LevelDesign, hypothesis: Hypothesis) -> Floats:
        if self.tests == "factor" and hypothesis.factor is None:
            raise ValueError("Logistic regression on a factor compares its levels; name it in `factor`.")
        if self.tests == "factor" and not self.adjusts:
            return design.predictors
        if "other" not in design.rows.columns:
            raise ValueError("Logistic regression on a second outcome needs its name in `other`.")
        return np.column_stack([design.predictors, numbers(design.rows, "other")])
