"""One line of an analysis-of-variance table, as returned by the repeated-measures kernels."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.noncentral import eta_squared_interval
from understudy.analyses.kernels.sphericity import Sphericity, corrected_p
from understudy.analyses.kernels.tails import UNKNOWN, Interval, p_from_f


class AnovaEffect(NamedTuple):
    """An effect with its error term; between-person effects have no sphericity-corrected p (NaN).

    Without error variance, everything but sums of squares and degrees of freedom is NaN.
    """

    sum_of_squares: float
    df: float
    error_sum_of_squares: float
    error_df: float
    statistic: float
    p_value: float
    p_greenhouse_geisser: float
    p_huynh_feldt: float
    partial_eta_squared: float
    partial_eta_squared_interval: Interval
    generalized_eta_squared: float


class Variation(NamedTuple):
    """A sum of squares with its degrees of freedom."""

    sum_of_squares: float
    df: float


def anova_effect(
    effect: Variation,
    error: Variation,
    *,
    person_variation: float,
    level: float,
    sphericity: Sphericity | None = None,
) -> AnovaEffect:
    """Build a table line; `person_variation` is all variation within cells, for generalized eta².

    Partial eta² = SS / (SS + SS_error), limits from the noncentral F (Steiger 2004). Generalized
    eta² = SS / (SS + person_variation), every factor manipulated (Olejnik & Algina 2003).

    Examples
    --------
    >>> line = anova_effect(Variation(10.0, 2), Variation(28.0, 28), person_variation=40.0, level=0.95)
    >>> round(line.statistic, 2), round(line.partial_eta_squared, 3), line.generalized_eta_squared
    (5.0, 0.263, 0.2)
    """
    df = (effect.df, error.df)
    nan = float("nan")
    # `not >` is true for NaN too.
    if not error.sum_of_squares > 0 or not np.isfinite(effect.sum_of_squares):
        return AnovaEffect(*effect, *error, nan, nan, nan, nan, nan, UNKNOWN, nan)
    f = effect.sum_of_squares / effect.df / (error.sum_of_squares / error.df)
    # Between-person effects have no sphericity to correct for.
    epsilons = (sphericity.greenhouse_geisser, sphericity.huynh_feldt) if sphericity else (nan, nan)
    corrected = [nan if np.isnan(e) else corrected_p(f, df, e) for e in epsilons]
    partial_eta_squared = effect.sum_of_squares / (effect.sum_of_squares + error.sum_of_squares)
    return AnovaEffect(
        *effect,
        *error,
        statistic=f,
        p_value=p_from_f(f, df),
        p_greenhouse_geisser=corrected[0],
        p_huynh_feldt=corrected[1],
        partial_eta_squared=partial_eta_squared,
        partial_eta_squared_interval=eta_squared_interval(f, df, level=level, estimate=partial_eta_squared),
        generalized_eta_squared=effect.sum_of_squares / (effect.sum_of_squares + person_variation),
    )
