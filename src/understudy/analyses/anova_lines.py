"""Estimates from lines of an analysis-of-variance table, with sphericity corrections."""

import math
from typing import Literal, TypeAlias

from understudy.analyses.estimates import omnibus_estimate
from understudy.analyses.kernels.anova_effect import AnovaEffect
from understudy.analyses.kernels.sphericity import Sphericity
from understudy.analyses.results import effect_size, finite_details, moved_limit_note, notes_of, spread_note
from understudy.schema import Estimate

SphericityCorrection: TypeAlias = Literal["none", "gg", "hf"]
_NO_ERROR = "No test: the values leave no error variance to compare the effect with."


def anova_estimate(
    line: AnovaEffect, sphericity: Sphericity | None, *, correction: SphericityCorrection, level: float
) -> Estimate:
    """Return F, p and effect sizes of a line; degrees of freedom are corrected like the p-value.

    The caller sets the numbers of people and rows.
    """
    p_value = {"none": line.p_value, "gg": line.p_greenhouse_geisser, "hf": line.p_huynh_feldt}[correction]
    epsilon = _epsilon(sphericity, correction)
    eta = effect_size("partial eta squared", line.partial_eta_squared, line.partial_eta_squared_interval, level)
    # The corrected p-value belongs to the corrected degrees of freedom, so both are reported.
    df = (line.df * epsilon, line.error_df * epsilon)
    return omnibus_estimate(eta, line._replace(p_value=p_value), statistic="F", df=df).model_copy(
        update={
            "effect_sizes": (eta, effect_size("generalized eta squared", line.generalized_eta_squared, None, level)),
            "details": _details(line, sphericity),
            "notes": notes_of(_NO_ERROR if spread_note(p_value) else "", moved_limit_note(eta)),
        }
    )


def _epsilon(sphericity: Sphericity | None, correction: SphericityCorrection) -> float:
    if sphericity is None or correction == "none":
        return 1.0
    epsilon = sphericity.greenhouse_geisser if correction == "gg" else sphericity.huynh_feldt
    # Huynh and Feldt's epsilon can exceed 1, where it means no correction.
    return epsilon if math.isnan(epsilon) else min(epsilon, 1.0)


def _details(line: AnovaEffect, sphericity: Sphericity | None) -> dict[str, float | None]:
    squares = {
        "sum_of_squares": line.sum_of_squares,
        "error_sum_of_squares": line.error_sum_of_squares,
    }
    if sphericity is None:
        return finite_details(squares)
    return finite_details(
        squares
        | {
            "uncorrected_df": line.df,
            "uncorrected_error_df": line.error_df,
            "uncorrected_p": line.p_value,
            "greenhouse_geisser_epsilon": sphericity.greenhouse_geisser,
            "huynh_feldt_epsilon": sphericity.huynh_feldt,
            "mauchly_w": sphericity.mauchly_w,
            "mauchly_p": sphericity.mauchly_p,
        }
    )
