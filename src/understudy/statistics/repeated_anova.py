"""Analysis of variance of repeated answers: within people, and split plots."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.statistics.anova import (
    AnovaEffect,
    Sphericity,
    Variation,
    anova_effect,
    orthonormal_contrasts,
    sphericity,
)
from understudy.statistics.arrays import Floats, Ints, is_negligible, matrix

# Repeated-measures analysis of variance with one within-person factor.


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


SumsOfSquares = Literal["III", "II", "I"]


class MixedAnova(NamedTuple):
    """The three effects of a split-plot design; sphericity is that of the pooled within-group covariance."""

    between: AnovaEffect
    within: AnovaEffect
    interaction: AnovaEffect
    sphericity: Sphericity


class _Groups(NamedTuple):
    codes: Ints
    sizes: Floats


def mixed_anova(
    scores: npt.ArrayLike,
    groups: npt.ArrayLike,
    *,
    sums_of_squares: SumsOfSquares = "III",
    level: float = 0.95,
) -> MixedAnova:
    """Analyse a complete people × levels matrix of people in two or more, perhaps unequal, groups.

    Group and interaction are the same under every type of sums of squares. Only the within effect
    differs when groups are unequal: type III tests the unweighted mean of the group means (as
    `car::Anova(type = 3)` with sum contrasts, or a mixed model with type III tests), types I and II
    weigh groups by size (as R's `aov(y ~ b * w + Error(id / w))`).
    Type III gives the figures that Kuhl et al. (2023) print from a random-intercept model; I and II do not.

    Examples
    --------
    >>> scores = [[1.0, 2, 4], [2.0, 2, 3], [3.0, 5, 5], [2.0, 3, 6], [4.0, 4, 3]]
    >>> result = mixed_anova(scores, ["a", "a", "a", "b", "b"])
    >>> round(result.within.statistic, 3), round(result.interaction.statistic, 3)
    (2.467, 0.067)
    """
    table = matrix(scores, "scores", least=(3, 2))
    people = _groups(groups, len(table))
    n, k, g = len(table), table.shape[1], people.sizes.size
    contrasts = table @ orthonormal_contrasts(k)
    means = _group_means(contrasts, people)
    products = clean_products(contrasts - means[people.codes], table)
    shape = sphericity(products, n - g) if products.any() else Sphericity(*(float("nan"),) * 4)
    error = Variation(float(np.trace(products)), (n - g) * (k - 1))
    # Scaled by √k, a person's mean is the contrast orthogonal to all within-person contrasts.
    averages = table.mean(axis=1)[:, None] * k**0.5
    person_means = _group_means(averages, people)
    person_error = Variation(float(clean_products(averages - person_means[people.codes], table)[0, 0]), n - g)
    total = error.sum_of_squares + person_error.sum_of_squares
    within = Variation(_within_squares(means, people.sizes, sums_of_squares), k - 1)
    return MixedAnova(
        between=anova_effect(
            Variation(_between_squares(person_means, people.sizes), g - 1),
            person_error,
            person_variation=total,
            level=level,
        ),
        within=anova_effect(within, error, person_variation=total, level=level, sphericity=shape),
        interaction=anova_effect(
            Variation(_between_squares(means, people.sizes), (g - 1) * (k - 1)),
            error,
            person_variation=total,
            level=level,
            sphericity=shape,
        ),
        sphericity=shape,
    )


def _groups(labels: npt.ArrayLike, n: int) -> _Groups:
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"groups has shape {array.shape}; one label for each of the {n} rows is needed.")
    names, codes, counts = np.unique(array, return_inverse=True, return_counts=True)
    if names.size < 2:
        raise ValueError(f"groups names {names.size} group; at least 2 are needed.")
    if n - names.size < 1:
        raise ValueError(f"{n} people in {names.size} groups leave no degrees of freedom for error.")
    return _Groups(codes.astype(np.int64), counts.astype(np.float64))


def _group_means(columns: Floats, people: _Groups) -> Floats:
    sums = np.zeros((people.sizes.size, columns.shape[1]))
    np.add.at(sums, people.codes, columns)
    return sums / people.sizes[:, None]


def _between_squares(means: Floats, sizes: Floats) -> float:
    centre = sizes @ means / sizes.sum()
    return float((sizes[:, None] * (means - centre) ** 2).sum())


def _within_squares(means: Floats, sizes: Floats, kind: SumsOfSquares) -> float:
    if kind == "III":
        unweighted = means.mean(axis=0)
        # The unweighted mean of g group means has variance σ² Σ(1 / n) / g².
        return float(unweighted @ unweighted * sizes.size**2 / (1 / sizes).sum())
    if kind in ("I", "II"):
        weighted = sizes @ means / sizes.sum()
        return float(weighted @ weighted * sizes.sum())
    raise ValueError(f"sums_of_squares is {kind!r}; it must be 'I', 'II' or 'III'.")
