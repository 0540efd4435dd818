"""Linear mixed model: effects on single answers, with random intercepts and slopes of people and items."""

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from understudy.analyses.assumptions import linear_panels
from understudy.analyses.mixed_models import (
    MixedModel,
    Question,
    Structure,
    explained_shares,
    fit_structure,
    likelihood_note,
    marginal_means,
    pair_details,
    question_of,
    random_structure,
    random_variance,
    ratio_estimate,
    refuse_constant_groups,
    structure_details,
    two_sided,
    without_effect,
)
from understudy.analyses.model_design import ModelDesign, values_by_level
from understudy.analyses.results import (
    NUMBERS,
    alternative_of,
    effect_size,
    finite,
    finite_details,
    finite_df,
    limits,
    notes_of,
    omnibus_estimate,
    plain_summary,
    refuse_direction,
)
from understudy.analyses.rows import n_participants, numbers
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis
from understudy.statistics.mixed_linear import (
    DfMethod,
    LinearFit,
    fit_linear_mixed,
    lmm_f_test,
    lmm_t_test,
    search_linear_mixed,
)
from understudy.statistics.mixed_terms import terms_of

_NO_VARIANCE = "No test: the levels explain the values entirely, so no variance is left to compare the effect with."


@dataclass(frozen=True)
class _Fitted:
    model: LinearFit
    structure: Structure
    design: ModelDesign
    question: Question
    values: Floats
    """The answers less the value that their mean is compared with."""
    null: float

    @property
    def random_variance(self) -> float:
        return random_variance(self.structure.groups, self.model.covariances)


@register("analyses", "linear_mixed")
class LinearMixed(MixedModel):
    """Compares levels, or a mean with a value, in a linear model with crossed random effects of people and items."""

    estimand: ClassVar[str] = "the difference of means over people and items like these"
    df_method: DfMethod = "satterthwaite"

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials if items are random; otherwise also one row per person and level."""
        return self.fit_for(NUMBERS)

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return a difference with its t test, all levels together with F, or the mean compared with a value."""
        design = self.design(table, hypothesis)
        null = (hypothesis.against or 0.0) if hypothesis.factor is None else 0.0
        values, predictors = numbers(design.rows), design.predictors
        if np.ptp(values) == 0:
            raise ValueError("All answers are the same, so there is no variance to compare an effect with.")
        planned = random_structure(self.random, design, hypothesis)
        refuse_constant_groups(planned, values)
        model, structure = fit_structure(
            self.random,
            planned,
            partial(search_linear_mixed, values - null, predictors, method=self.method or "REML"),
        )
        question = question_of(self, design, hypothesis, "mean difference" if design.levels else "mean")
        fitted = _Fitted(model, structure, design, question, values - null, null)
        estimate = self._single(fitted, hypothesis) if question.is_single else self._together(fitted, hypothesis)
        if self.test == "likelihood_ratio":
            estimate = self._by_ratio(estimate, fitted, hypothesis)
        parts = values_by_level(design, values, hypothesis.factor)
        found = estimate.model_copy(
            update={
                "n_sessions": n_participants(design.rows),
                "n_rows": len(design.rows),
                "groups": tuple(plain_summary(level, answers) for level, answers in parts.items()),
                "details": estimate.details | self._details(fitted, hypothesis),
                "notes": notes_of(
                    estimate.notes, structure.notes, likelihood_note(self.method or "REML", structure.groups)
                ),
                "diagnostics": linear_panels(model, fitted.values, structure.groups),
            }
        )
        return structure.judged(found)

    def _single(self, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        test = lmm_t_test(
            fitted.model,
            fitted.question.weights[0],
            df_method=self.df_method,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        is_tested = hypothesis.factor is not None or hypothesis.against is not None
        # d divides by the SD of a single answer: people, items and residual together.
        scale = 1 / math.sqrt(fitted.random_variance + fitted.model.residual_variance)
        standardized = effect_size("d", test.estimate * scale, test.interval.scaled(scale), self.confidence)
        # The model was fitted to values minus the null, which is added back here.
        null = fitted.null
        interval = test.interval._replace(low=test.interval.low + null, high=test.interval.high + null)
        return Estimate(
            effect=finite(test.estimate + null),
            effect_name=fitted.question.name if hypothesis.factor is not None else mean_name(hypothesis.against),
            null_value=null if is_tested else None,
            interval=limits(interval, self.confidence),
            statistic=finite(test.statistic) if is_tested else None,
            statistic_name="t",
            df=finite_df(test.df),
            p_value=finite(test.p_value) if is_tested else None,
            n_sessions=0,
            n_rows=0,
            effect_sizes=(standardized,) if is_tested else (),
            details={"standard_error": finite(test.standard_error)},
            notes=notes_of(_why_no_test(test.p_value, is_tested=is_tested)),
        )

    def _together(self, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        refuse_direction(hypothesis.direction, fitted.question.what)
        test = lmm_f_test(fitted.model, fitted.question.weights, df_method=self.df_method, level=self.confidence)
        eta = effect_size(
            "partial eta squared (from F)", test.partial_eta_squared, test.partial_eta_squared_interval, self.confidence
        )
        notes = notes_of(_why_no_test(test.p_value, is_tested=True))
        estimate = omnibus_estimate(eta, test, statistic="F", df=(test.df, test.error_df))
        return estimate.model_copy(update={"notes": notes})

    def _by_ratio(self, estimate: Estimate, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        terms, weights = terms_of(fitted.structure.groups), fitted.question.weights
        predictors = fitted.design.predictors
        # Restricted likelihoods of models with different fixed effects cannot be compared.
        nested = fit_linear_mixed(fitted.values, without_effect(predictors, weights), terms, method="ML")
        full = fit_linear_mixed(fitted.values, predictors, terms, method="ML")
        rise = full.log_likelihood - nested.log_likelihood
        return ratio_estimate(estimate, rise, df=len(weights), direction=hypothesis.direction)

    def _details(self, fitted: _Fitted, hypothesis: Hypothesis) -> dict[str, float | None]:
        model, groups = fitted.model, fitted.structure.groups
        found = structure_details(groups, model.covariances)
        found |= {"residual_variance": model.residual_variance, "log_likelihood": model.log_likelihood}
        found |= explained_shares(
            fitted.design.predictors @ model.coefficients,
            random=fitted.random_variance,
            error=model.residual_variance,
        )
        found |= marginal_means(fitted.design, hypothesis, model.coefficients)
        found |= pair_details(self, fitted.design, hypothesis, two_sided(model, self.df_method))
        return finite_details(found)


def mean_name(against: float | None) -> str:
    """Return the name of a mean, with the value it is compared with."""
    return "mean" if against is None else f"mean (against {against:g})"


def _why_no_test(p_value: float, *, is_tested: bool) -> str:
    if not is_tested:
        return "Estimation only: there is no p-value, because the mean is not compared with anything. Give `against` for a test."
    return _NO_VARIANCE if math.isnan(p_value) else ""
