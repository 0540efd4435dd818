"""Repeated-measures analysis of variance with one within-person factor."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.anova_effect import AnovaEffect, Variation, anova_effect
from understudy.analyses.kernels.sphericity import Sphericity, orthonormal_contrasts, sphericity
from understudy.analyses.kernels.vectors import Floats, is_negligible, matrix


class RepeatedAnova(NamedTuple):
    """The within-person effect and the sphericity of its contrasts."""

    within: AnovaEffect
    sphericity: Sphericity


def repeated_measures_anova(scores: npt.ArrayLike, *, level: float = 0.95) -> RepeatedAnova:
    """Compare the columns of a complete people × levels matrix.

    Equals R's `aov(y ~ w + Error(id / w))`; epsilons as in R's `anova(mlm, X = ~1, test = "Spherical")`.
    Without error variance (constant differences), the test is NaN.

    Examples
    --------
    >>> scores = [[1.0, 2, 4], [2.0, 2, 3], [3.0, 5, 5], [2.0, 3, 6]]
    >>> effect = repeated_measures_anova(scores).within
    >>> round(effect.statistic, 3), effect.df, effect.error_df, round(effect.p_greenhouse_geisser, 4)
    (9.5, 2, 6, 0.0236)
    """
    table = matrix(scores, "scores", least=(2, 2))
    n, k = table.shape
    contrasts = table @ orthonormal_contrasts(k)
    means = contrasts.mean(axis=0)
    # Contrasts remove the person's level, so what remains is error within people.
    residuals = contrasts - means
    products = clean_products(residuals, table)
    shape = sphericity(products, n - 1) if products.any() else _UNKNOWN_SHAPE
    error = float(np.trace(products))
    people = float(k * ((table.mean(axis=1) - table.mean()) ** 2).sum())
    effect = anova_effect(
        Variation(n * float(means @ means), k - 1),
        Variation(error, (n - 1) * (k - 1)),
        person_variation=people + error,
        level=level,
        sphericity=shape,
    )
    return RepeatedAnova(effect, shape)


def clean_products(residuals: Floats, table: Floats) -> Floats:
    """Return residual sums of products, exactly zero if only rounding noise is left."""
    if is_negligible(float(np.abs(residuals).max()), float(np.abs(table).max())):
        return np.zeros((residuals.shape[1], residuals.shape[1]))
    return residuals.T @ residuals


_UNKNOWN_SHAPE = Sphericity(float("nan"), float("nan"), float("nan"), float("nan"))
