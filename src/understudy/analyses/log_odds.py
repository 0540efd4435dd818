"""Log-odds: estimates from contrasts of fitted logistic models, for one level compared with another or all together."""

import math

import numpy as np

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.wald import LogOddsModel, log_odds_test
from understudy.analyses.level_design import LevelDesign, values_by_level
from understudy.analyses.results import (
    alternative_of,
    difference_name,
    effect_size,
    finite,
    notes_of,
    plain_summary,
    refuse_direction,
)
from understudy.analyses.rows import n_participants, yes_or_no
from understudy.deferred.scipy import special, stats
from understudy.roles import Floats
from understudy.schema import Estimate, GroupSummary, Hypothesis

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
