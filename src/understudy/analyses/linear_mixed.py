"""Linear mixed model: the effect of a factor on single answers, with random intercepts of people and items."""

import math
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import Field

from understudy.analyses.estimates import omnibus_estimate
from understudy.analyses.kernels.lmm import LinearMixedFit, fit_lmm
from understudy.analyses.kernels.lmm_tests import DfMethod, lmm_f_test, lmm_t_test
from understudy.analyses.level_design import LevelDesign, level_design, refuse_lone_people, values_by_level
from understudy.analyses.results import (
    alternative_of,
    difference_name,
    effect_size,
    finite,
    finite_details,
    finite_df,
    limits,
    notes_of,
    plain_summary,
    refuse_direction,
)
from understudy.analyses.rows import n_participants, numbers, text
from understudy.analyses.scales import NUMBERS
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale

RandomIntercepts: TypeAlias = tuple[Literal["participant", "item"], ...]
_NO_VARIANCE = "No test: the levels explain the values entirely, so no variance is left to hold the effect against."


@register("analyses", "linear_mixed")
class LinearMixed(Record):
    """Compares levels, or a mean with a value, in a linear model with crossed random intercepts."""

    random: RandomIntercepts = Field(default=("participant", "item"), min_length=1)
    """The columns with random intercepts."""
    method: Literal["REML", "ML"] = "REML"
    df_method: DfMethod = "satterthwaite"
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials if items are random; otherwise also one row per person and level."""
        return mixed_fit(NUMBERS, self.random)

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return a difference with its t test, all levels together with F, or the mean compared with a value."""
        design = level_design(table, hypothesis)
        if "participant" in self.random:
            refuse_lone_people(design, hypothesis.factor)
        null = (hypothesis.against or 0.0) if hypothesis.factor is None else 0.0
        values = numbers(design.rows)
        model = fit_lmm(values - null, design.predictors, random_labels(design.rows, self.random), method=self.method)
        if len(design.levels) > 2:
            estimate = self._together(model, design, hypothesis)
        else:
            estimate = self._single(model, design, hypothesis, null=null)
        return estimate.model_copy(
            update={
                "n_sessions": n_participants(design.rows),
                "n_rows": len(design.rows),
                "groups": tuple(
                    plain_summary(level, answers)
                    for level, answers in values_by_level(design, values, hypothesis.factor).items()
                ),
                "details": estimate.details | self._details(model),
                "notes": notes_of(estimate.notes, boundary_note(model.variances, self.random)),
            }
        )

    def _single(self, model: LinearMixedFit, design: LevelDesign, hypothesis: Hypothesis, *, null: float) -> Estimate:
        test = lmm_t_test(
            model,
            [0, 1] if design.levels else [1],
            df_method=self.df_method,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        is_tested = bool(design.levels) or hypothesis.against is not None
        # d divides by the SD of a single answer: people, items and residual together.
        scale = 1 / _total_sd(model)
        standardized = effect_size("d", test.estimate * scale, test.interval.scaled(scale), self.confidence)
        # The model was fitted to values minus the null, which is added back here.
        interval = test.interval._replace(low=test.interval.low + null, high=test.interval.high + null)
        return Estimate(
            effect=finite(test.estimate + null),
            effect_name=difference_name(design.levels) if design.levels else mean_name(hypothesis.against),
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

    def _together(self, model: LinearMixedFit, design: LevelDesign, hypothesis: Hypothesis) -> Estimate:
        refuse_direction(hypothesis.direction, f"An F test of {len(design.levels)} levels")
        test = lmm_f_test(model, design.contrasts, df_method=self.df_method, level=self.confidence)
        eta = effect_size(
            "partial eta squared", test.partial_eta_squared, test.partial_eta_squared_interval, self.confidence
        )
        notes = notes_of(_why_no_test(test.p_value, is_tested=True))
        estimate = omnibus_estimate(eta, test, statistic="F", df=(test.df, test.error_df))
        return estimate.model_copy(update={"notes": notes})

    def _details(self, model: LinearMixedFit) -> dict[str, float | None]:
        variances = {f"variance_{name}": float(value) for name, value in zip(self.random, model.variances, strict=True)}
        return finite_details(
            variances | {"residual_variance": model.residual_variance, "log_likelihood": model.log_likelihood}
        )


def mixed_fit(scales: frozenset[Scale], random: RandomIntercepts) -> Fit:
    """Return what a model with these random intercepts can take."""
    if "item" in random:
        return Fit(scales, unit="trial", factor="optional", needs=frozenset({"item"}))
    return Fit(scales, unit="either", factor="optional")


def random_labels(rows: Table, random: RandomIntercepts) -> list[npt.NDArray[np.intp]]:
    """Return the codes of every grouping factor, one per row."""
    absent = [name for name in random if name not in rows.columns]
    if absent:
        raise ValueError(f"The rows have no column {absent[0]!r}, which `random` names. Leave it out of `random`.")
    return [pd.factorize(text(rows, name), sort=True)[0] for name in random]


def boundary_note(variances: Floats, random: RandomIntercepts) -> str:
    """Return a note on random intercepts whose variance is estimated as zero."""
    flat = [name for name, value in zip(random, variances, strict=True) if value == 0]
    return f"The variance of {' and '.join(flat)} intercepts is estimated as zero (a boundary fit)." if flat else ""


def mean_name(against: float | None) -> str:
    """Return the name of a mean, with the value it is compared with."""
    return "mean" if against is None else f"mean (against {against:g})"


def _why_no_test(p_value: float, *, is_tested: bool) -> str:
    if not is_tested:
        return "Estimation only: no p-value, since nothing is held against the mean; give `against` for a test."
    return _NO_VARIANCE if math.isnan(p_value) else ""


def _total_sd(model: LinearMixedFit) -> float:
    return math.sqrt(float(model.variances.sum()) + model.residual_variance)
