"""Regressions of single answers: cluster-robust for numbers, log odds for yes and no."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.model_design import LevelDesign, level_design, refuse_lone_people, values_by_level
from understudy.analyses.results import (
    NUMBERS,
    YES_NO,
    alternative_of,
    difference_name,
    effect_estimate,
    effect_size,
    finite,
    finite_df,
    notes_of,
    plain_summary,
    refuse_direction,
    spread_note,
)
from understudy.analyses.rows import n_participants, numbers, text, two_levels, yes_or_no
from understudy.deferred.pandas import pd
from understudy.deferred.scipy import special, stats
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record
from understudy.statistics.regression import LogOddsModel, cluster_robust, fit_logistic, log_odds_test

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


# Log-odds: estimates from contrasts of fitted logistic models, for one level compared with another or all together.

SEPARATED = (
    "No test: yes and no are perfectly separated by the predictors (or all answers are the same), so the odds have no "
    "finite estimate."
)

NOT_COMPARED = (
    "Estimation only: no p-value, because the share is not compared with anything; give `against` for a test."
)


def level_estimate(model: LogOddsModel, design: LevelDesign, hypothesis: Hypothesis, *, level: float) -> Estimate:
    """Return a log odds ratio for two levels, a Wald test for several, or the intercept compared with a share."""
    if len(design.levels) > 2:
        estimate = _together(model, design, hypothesis)
    elif design.levels:
        contrast = np.eye(model.coefficients.size)[1]
        name = difference_name(design.levels, "log odds ratio")
        estimate = single_estimate(model, contrast, hypothesis, name=name, level=level)
    else:
        estimate = _intercept(model, hypothesis, level=level)
    return estimate.model_copy(
        update={
            "n_sessions": n_participants(design.rows),
            "n_rows": len(design.rows),
            "groups": _groups(design, hypothesis),
        }
    )


def single_estimate(
    model: LogOddsModel, contrast: Floats, hypothesis: Hypothesis, *, name: str, level: float
) -> Estimate:
    """Return one contrast of log-odds with its z test and odds ratio; the caller counts people and rows."""
    alternative = alternative_of(hypothesis.direction)
    test = log_odds_test(model, contrast, alternative=alternative, level=level)
    estimate = effect_estimate(test.estimate, test, name=name, statistic="z", level=level)
    odds_ratio = effect_size("odds ratio", test.odds_ratio, test.odds_ratio_interval, level, null_value=1.0)
    return estimate.model_copy(
        update={
            "effect_sizes": (odds_ratio,),
            "details": {"standard_error": finite(test.standard_error)},
            "notes": notes_of(SEPARATED if math.isnan(test.p_value) else ""),
        }
    )


def _intercept(model: LogOddsModel, hypothesis: Hypothesis, *, level: float) -> Estimate:
    against = hypothesis.against
    if against is not None and not 0 < against < 1:
        raise ValueError(f"The share in `against` is {against:g}; on the log-odds scale it must be between 0 and 1.")
    null = 0.0 if against is None else float(special.logit(against))
    # Subtracting the null first lets the z test compare with zero.
    moved = LogOddsModel(model.coefficients - null, model.covariance)
    name = "log odds" if against is None else f"log odds (against a share of {against:g})"
    estimate = single_estimate(moved, np.ones(1), hypothesis, name=name, level=level)
    return _share_from_shifted(estimate, float(model.coefficients[0]), null, is_tested=against is not None)


def _share_from_shifted(estimate: Estimate, intercept: float, null: float, *, is_tested: bool) -> Estimate:
    """Return the log-odds of a share from an estimate that was shifted by the null; no p-value if nothing is tested."""
    interval = estimate.interval
    if interval is not None and interval.low is not None and interval.high is not None:
        interval = interval.model_copy(update={"low": interval.low + null, "high": interval.high + null})
    update: dict[str, object] = {
        "effect": finite(intercept),
        "interval": interval,
        "null_value": null if is_tested else None,
        "effect_sizes": (),
        "details": estimate.details | {"share_at_zero": finite(float(special.expit(intercept)))},
    }
    if not is_tested:
        update |= {"statistic": None, "p_value": None, "df": (), "notes": notes_of(NOT_COMPARED, estimate.notes)}
    return estimate.model_copy(update=update)


def _together(model: LogOddsModel, design: LevelDesign, hypothesis: Hypothesis) -> Estimate:
    """Test all differences between levels at once with Wald's chi-square."""
    refuse_direction(hypothesis.direction, f"A Wald test of {len(design.levels)} levels")
    contrasts = design.contrasts
    size = model.coefficients.size
    # Further predictors, such as covariates, get no weight.
    weights = np.hstack([contrasts, np.zeros((len(contrasts), size - contrasts.shape[1]))])
    chi_square = float("nan")
    if np.isfinite(model.covariance).all():
        effects = weights @ model.coefficients
        chi_square = float(effects @ np.linalg.solve(weights @ model.covariance @ weights.T, effects))
    df = len(contrasts)
    # The last level is the reference, with log-odds of zero relative to itself.
    level_log_odds = np.append(weights @ model.coefficients, 0.0)
    return Estimate(
        effect=finite(float(level_log_odds.std(ddof=1))),
        effect_name="SD of log odds over levels",
        null_value=0.0,
        statistic=finite(chi_square),
        statistic_name="chi-square",
        df=(df,),
        p_value=finite(float(stats.chi2.sf(chi_square, df))),
        n_sessions=0,
        n_rows=0,
        details={
            f"log_odds_ratio_{level}_to_{design.levels[-1]}": finite(float(weights[index] @ model.coefficients))
            for index, level in enumerate(design.levels[:-1])
        },
        notes=notes_of(SEPARATED if math.isnan(chi_square) else ""),
    )


def _groups(design: LevelDesign, hypothesis: Hypothesis) -> tuple[GroupSummary, ...]:
    parts = values_by_level(design, yes_or_no(design.rows), hypothesis.factor)
    return tuple(plain_summary(name, part) for name, part in parts.items())


# Logistic regression of yes-or-no answers on a factor or on a second outcome.


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
