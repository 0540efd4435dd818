"""Logistic mixed model: the effect of a factor on yes-or-no answers, with random intercepts of people and items."""

from pydantic import Field

from understudy.analyses.kernels.glmm import LogisticMixedFit, fit_glmm
from understudy.analyses.level_design import level_design, refuse_lone_people
from understudy.analyses.linear_mixed import RandomIntercepts, boundary_note, mixed_fit, random_labels
from understudy.analyses.log_odds import LogOddsModel, level_estimate
from understudy.analyses.results import finite_details, notes_of
from understudy.analyses.rows import numbers
from understudy.analyses.scales import YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "logistic_mixed")
class LogisticMixed(Record):
    """Compares levels, or a share with a value, in a logistic model with crossed random intercepts."""

    random: RandomIntercepts = Field(default=("participant", "item"), min_length=1)
    """The columns with random intercepts."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials, with their items if items are random."""
        return mixed_fit(YES_NO, self.random)

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return a log odds ratio with its z test, all levels together with chi-square, or the log-odds of yes."""
        design = level_design(table, hypothesis)
        if "participant" in self.random:
            refuse_lone_people(design, hypothesis.factor)
        model = fit_glmm(numbers(design.rows), design.predictors, random_labels(design.rows, self.random))
        fitted = LogOddsModel(model.coefficients, model.covariance)
        estimate = level_estimate(fitted, design, hypothesis, level=self.confidence)
        return estimate.model_copy(
            update={
                "details": estimate.details | self._details(model),
                "notes": notes_of(estimate.notes, boundary_note(model.variances, self.random), _convergence(model)),
            }
        )

    def _details(self, model: LogisticMixedFit) -> dict[str, float | None]:
        variances = {f"variance_{name}": float(value) for name, value in zip(self.random, model.variances, strict=True)}
        return finite_details(variances | {"log_likelihood": model.log_likelihood})


def _convergence(model: LogisticMixedFit) -> str:
    if model.is_converged or model.is_separated:
        return ""
    return "The fit did not converge; its numbers are not to be trusted."
