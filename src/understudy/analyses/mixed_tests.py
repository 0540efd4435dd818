"""What a mixed model tests: a difference of two levels, all levels together, an interaction, or its mean."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.lmm_tests import DfMethod, lmm_t_test
from understudy.analyses.kernels.mixed_fit import MixedFit
from understudy.analyses.kernels.multiplicity import benjamini_hochberg, bonferroni, holm
from understudy.analyses.kernels.tails import EffectTest, p_from_z
from understudy.analyses.mixed_model import MixedModel
from understudy.analyses.model_design import ModelDesign, interaction_name
from understudy.analyses.results import alternative_of, difference_name, finite
from understudy.deferred.scipy import stats
from understudy.roles import Floats
from understudy.schema import Direction, Estimate, Hypothesis

_CORRECTIONS: dict[str, Callable[..., Floats]] = {"holm": holm, "bonferroni": bonferroni, "fdr": benjamini_hochberg}


class Question(NamedTuple):
    """Contrasts of the coefficients, one per row, that answer a hypothesis."""

    weights: Floats
    name: str
    """Of the difference, if it is a single one."""
    what: str
    """What is tested, for errors."""

    @property
    def is_single(self) -> bool:
        """Return whether the answer is one number with a direction."""
        return len(self.weights) == 1


def question_of(settings: MixedModel, design: ModelDesign, hypothesis: Hypothesis, unit: str) -> Question:
    """Return what a hypothesis asks of the model; `unit` names a difference, such as "mean difference"."""
    if hypothesis.factor is None:
        size = design.predictors.shape[1]
        return Question(np.eye(size)[:1], unit, "A mean")
    factor = design.factor(hypothesis.factor)
    if settings.tests == "interaction" and hypothesis.crossed_with is not None:
        other = design.factor(hypothesis.crossed_with)
        name = interaction_name(factor.name, other.name)
        if len(other.levels) > 2 or (len(factor.levels) > 2 and hypothesis.contrast is None):
            return Question(design.joint(name), "", f"The interaction of {factor.name!r} and {other.name!r}")
        pair = hypothesis.contrast or factor.levels
        differences = factor.difference(pair[0], pair[1]), other.difference(other.levels[0], other.levels[1])
        weights = np.asarray(np.kron(*differences), dtype=np.float64)
        changed = f"{unit} ({pair[0]} - {pair[1]}) at {other.levels[0]} - {other.levels[1]}"
        return Question(design.weights(name, weights), changed, "An interaction")
    if hypothesis.contrast is not None or len(factor.levels) == 2:
        pair = hypothesis.contrast or factor.levels
        weights = factor.difference(pair[0], pair[1])
        return Question(design.weights(factor.name, weights), difference_name(pair, unit), "A difference")
    return Question(design.joint(factor.name), "", f"A test of {len(factor.levels)} levels")


def without_effect(predictors: Floats, weights: Floats) -> Floats:
    """Return the predictors of the model in which the contrasts are zero; its first column is still the intercept."""
    if np.any(weights[:, 0]):
        raise ValueError('A likelihood-ratio test needs a factor; compare a mean with a value by `test` = "wald".')
    _, sizes, vectors = np.linalg.svd(weights[:, 1:])
    free = vectors[len(sizes) :].T
    return np.column_stack([predictors[:, 0], predictors[:, 1:] @ free])


def ratio_estimate(estimate: Estimate, rise: float, *, df: int, direction: Direction) -> Estimate:
    """Return an estimate with the likelihood-ratio test of its effect; `rise` is what the effect adds to the likelihood.

    With a direction, the root of the statistic has the sign of the effect, and is normal without one (Barndorff-Nielsen
    & Cox 1994, ch. 3): half of the two-sided p-value if the effect goes the claimed way.
    """
    statistic = max(0.0, 2 * rise)
    p_value = float(stats.chi2.sf(statistic, df))
    if direction != "different":
        root = math.copysign(math.sqrt(statistic), estimate.effect or 0.0)
        p_value = p_from_z(root, alternative_of(direction))
    return estimate.model_copy(
        update={
            "statistic": finite(statistic),
            "statistic_name": "chi-square",
            "df": (float(df),),
            "p_value": finite(p_value),
        }
    )


def marginal_means(design: ModelDesign, hypothesis: Hypothesis, coefficients: Floats) -> dict[str, float]:
    """Return the mean at each level, averaged over other factors and at the mean of covariates."""
    if hypothesis.factor is None:
        return {}
    return {
        f"marginal_mean_{level}": float(design.marginal_mean(hypothesis.factor, level) @ coefficients)
        for level in design.levels
    }


def pair_details(
    settings: MixedModel, design: ModelDesign, hypothesis: Hypothesis, test: Callable[[Floats], EffectTest]
) -> dict[str, float]:
    """Return every difference of two levels inside the model with its corrected p-value."""
    if settings.pairs == "none" or hypothesis.factor is None or len(design.levels) < 3:
        return {}
    factor = design.factor(hypothesis.factor)
    pairs = list(combinations(design.levels, 2))
    tests = [test(design.weights(factor.name, factor.difference(*pair))[0]) for pair in pairs]
    corrected = _CORRECTIONS[settings.pairs]([found.p_value for found in tests])
    details: dict[str, float] = {}
    for (first, second), found, p_value in zip(pairs, tests, corrected, strict=True):
        details[f"difference_{first}_{second}"] = found.estimate
        details[f"p_{settings.pairs}_{first}_{second}"] = float(p_value)
    return details


def two_sided(fit: MixedFit, df_method: DfMethod = "satterthwaite") -> Callable[[Floats], EffectTest]:
    """Return a function that tests one contrast of a fit in both directions."""
    return lambda weights: lmm_t_test(fit, weights, df_method=df_method)
